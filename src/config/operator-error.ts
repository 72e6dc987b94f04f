/** An error with one line for operators as its message. Commands print it without a stack. */
export abstract class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
