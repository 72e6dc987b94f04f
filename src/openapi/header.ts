/** A header of an answer, as the published document describes it. */
export function header(description: string, example: string) {
  return { description, schema: { type: 'string' as const, examples: [example] } };
}
