import { AuthModule } from '#src/auth/auth.module';
import { readConfig } from '#src/config/config';
import { MessageDelivery, type QueuedMessage } from '#src/messages/delivery/message-delivery';
import { MessagesModule } from '#src/messages/messages.module';
import { PetsModule } from '#src/pets/pets.module';
import { serve } from '#src/app.setup';

/** Tells the test's own receiver of each message, and waits for its word. */
class ToReceiver extends MessageDelivery {
  override async deliver({ id }: QueuedMessage): Promise<void> {
    const answer = await fetch(`${process.env['RECEIVER_URL'] ?? ''}/${id}`, { method: 'POST' });
    if (!answer.ok) throw new Error(`answered with ${answer.status}`);
  }
}

// A process of the service that delivers, for a test to kill.
await serve(readConfig(process.env), {
  features: [AuthModule, PetsModule, MessagesModule.register({ deliver: ToReceiver, timeoutMs: 1000 })],
});
