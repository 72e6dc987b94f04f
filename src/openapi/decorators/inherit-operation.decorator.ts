/** Gives a method all decorators of the overridden handler and of its parameters. Write it last: others add to them. */
export function InheritOperation(): MethodDecorator {
  return (target, key, { value: handler }) => {
    const parent = Object.getPrototypeOf(target) as Readonly<Record<typeof key, unknown>>;
    const overridden = parent[key] as object;
    for (const name of Reflect.getMetadataKeys(overridden) as unknown[]) {
      Reflect.defineMetadata(name, Reflect.getMetadata(name, overridden), handler as object);
    }
  };
}
