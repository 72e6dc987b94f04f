import { AuthModule } from '#src/auth/auth.module';
import { MessageDelivery, type QueuedMessage } from '#src/messages/delivery/message-delivery';
import { MessagesModule } from '#src/messages/messages.module';
import { PetsModule } from '#src/pets/pets.module';
import { PetstoreModule } from '#src/petstore.module';
import { serve } from '#src/create-app';
import { StoreModule } from '#src/store/store.module';

/** Posts each message to the test's receiver, and waits for its response. */
class ToReceiver extends MessageDelivery {
  override async deliver({ id }: QueuedMessage): Promise<void> {
    const answer = await fetch(`${process.env['RECEIVER_URL'] ?? ''}/${id}`, { method: 'POST' });
    if (!answer.ok) throw new Error(`answered with ${answer.status}`);
  }
}

// A process of the service with deliveries, which a test kills.
// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- a module has no members
class RootModule {}
const messages = MessagesModule.register({ deliver: ToReceiver, timeoutMs: 1000 });
const features = [AuthModule, PetsModule, StoreModule, messages];
await serve({ module: RootModule, imports: [PetstoreModule.forRoot(), ...features] });
