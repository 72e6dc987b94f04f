/** Whether this is the short form of the run, `FAULTS=quick`: fewer rounds, and nothing is written to the results. */
export const quick = process.env['FAULTS'] === 'quick';

/** How often something is done: in the full form, and in the short one. */
export const rounds = (full: number, short: number) => (quick ? short : full);
