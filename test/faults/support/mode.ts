/** Whether this is the short form, `FAULTS=quick`: fewer rounds, and the results are not written. */
export const quick = process.env['FAULTS'] === 'quick';

/** Returns a number of repetitions, for the full form and for the short form. */
export const rounds = (full: number, short: number) => (quick ? short : full);
