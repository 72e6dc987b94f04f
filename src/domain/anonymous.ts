/**
 * Has the instances of a class not tell what made them. Of all that a handler returns, Nest compares the source text
 * of the constructor with that of Object's, which takes a twentieth of a get's time. Here there is nothing to compare.
 */
export function Anonymous() {
  return ({ prototype }: { readonly prototype: object }): void => {
    Reflect.deleteProperty(prototype, 'constructor');
  };
}
