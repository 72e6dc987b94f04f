import { OperatorError } from '../config/operator-error.js';

/** Stdout cannot be written to, for example because the disk is full. */
class OutputError extends OperatorError {
  constructor(cause: Error) {
    super(`cannot write to stdout: ${cause.message}`, { cause });
  }
}

/** Keeps the process running when stdout or stderr cannot be written to. {@link print} reports errors of stdout. */
export function ignoreStreamErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/**
 * Writes a line to stdout. A closed pipe, as in `| head`, is not an error.
 *
 * @throws OutputError
 */
export async function print(line: string): Promise<void> {
  await write(`${line}\n`);
}

/**
 * Writes texts to stdout, one after the other. Stops when the pipe is closed.
 *
 * @throws OutputError
 */
export async function printAll(texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) if (!(await write(text))) return;
}

/** Returns false when the pipe is closed. */
function write(text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) resolve(true);
      else if ('code' in error && error.code === 'EPIPE') resolve(false);
      else reject(new OutputError(error));
    });
  });
}
