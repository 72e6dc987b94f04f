import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Where processes run: on all cores that there are, or on one. */
export type Cores = 'all' | 'one';

/** The cores that this process was given, as `taskset` lists them; undefined where there is no such program. */
const given = findGiven();

/** Whether {@link useCores} can do its work, as it can on Linux alone. */
export const coresCanBeChosen = given !== undefined;

/** Has this process, those named and the children of those run where it says, with all that they start. */
export function useCores(cores: Cores, pids: readonly number[]): void {
  if (given === undefined) return;
  const list = cores === 'all' ? given : given.replace(/\D.*/, '');
  for (const pid of [process.pid, ...pids.flatMap((pid) => [pid, ...childrenOf(pid)])]) {
    try {
      execFileSync('taskset', ['-a', '-c', '-p', list, String(pid)], { stdio: 'ignore' });
    } catch (error) {
      // A connection of PostgreSQL may have ended meanwhile, and its process with it.
      if (existsSync(`/proc/${pid}`)) throw error;
    }
  }
}

function findGiven(): string | undefined {
  try {
    const said = execFileSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
    return said.split(': ').at(-1)?.trim();
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}
