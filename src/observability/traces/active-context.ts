import { AsyncLocalStorage } from 'node:async_hooks';

import { type Context, type ContextManager, ROOT_CONTEXT } from '@opentelemetry/api';

/** The context of what runs now. Unlike OpenTelemetry's own, a diagnostics channel can set it. */
export class ActiveContext implements ContextManager {
  readonly storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.storage.getStore() ?? ROOT_CONTEXT;
  }

  with<Args extends unknown[], Work extends (...args: Args) => ReturnType<Work>>(
    context: Context,
    work: Work,
    thisArg?: ThisParameterType<Work>,
    ...args: Args
  ): ReturnType<Work> {
    return this.storage.run(context, () => work.call(thisArg, ...args));
  }

  bind<Target>(context: Context, target: Target): Target {
    if (typeof target !== 'function') return target;
    const { storage } = this;
    return function (this: unknown, ...args: unknown[]): unknown {
      return storage.run(context, () => target.apply(this, args) as unknown);
    } as Target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.storage.disable();
    return this;
  }
}
