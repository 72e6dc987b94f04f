type AsyncMethod = (...args: never[]) => Promise<unknown>;

/** A method that is a span of its own. */
export interface TracedMethod {
  readonly prototype: object;
  readonly name: string;
  readonly method: AsyncMethod | undefined;
}

/** The methods that are {@link Traced}. None of them is touched until something is traced. */
export const TRACED_METHODS: TracedMethod[] = [];

/** Shows each call of the method in the trace that it belongs to, named as `PetsService.list`. */
export function Traced() {
  return <Method extends AsyncMethod>(
    prototype: object,
    name: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    TRACED_METHODS.push({ prototype, name, method: descriptor.value });
  };
}
