/** The patterns that CONTRIBUTING.md forbids, each with what to write instead. */
const PATTERNS: [pattern: RegExp, instead: string][] = [
  [
    /(?:^|[.:;] )(?:Who|What) (?!(?:is|are|was|were|does|do|did|can|should|happens)\b[^.]*\?)[a-z]+ [^.?]*\./,
    'Start the sentence with its subject, not with "Who" or "What".',
  ],
  [/(?<!to )\bdoubles\b(?! the)/, 'The standard term is duplicate.'],
  [/\b(?:whoever|nobody|somebody)\b(?![`"]|$)/i, 'Name the subject.'],
  [/\b(?:tells|knows|wants|remembers)\b/, 'Code has no mind and no voice.'],
  [/\b(?:is|are|be) told\b/, 'Code does not tell.'],
  [
    /\b(?:so that nothing|nothing of (?:it|them)|all there is to|at odds with|by the pace of late|as ever)\b/,
    'Write a plain statement.',
  ],
  [/\b(?:makes|made) (?:an account|accounts|a key|keys)\b/, 'Accounts and keys are created.'],
  [/\b(?:database|server|standby|worker|collector) (?:that )?is away\b/, 'The standard term is unavailable.'],
  [/\b[Rr]equests that meet\b/, 'The standard term is concurrent requests.'],
  [/\bkeys? (?:that (?:is|are|was|were) )?(?:no longer )?in force\b/, 'Keys are active or revoked.'],
  [/\b(?:shown|printed) this once\b/, 'Write "only once".'],
  [/\b(?:is|are) judged\b/, 'Requests are checked or validated.'],
  [/\btak(?:es?|ing) (?:its|their) time\b/, 'Write "is slow" or name the duration.'],
];

/** Returns the forbidden patterns in a text or a comment, each with what to write instead. */
export function styleProblems(text: string): string[] {
  const oneLine = text.replace(/^\*|\s*\n\s*\*?\s*/g, ' ').trim();
  return PATTERNS.flatMap(([pattern, instead]) => {
    const [found] = pattern.exec(oneLine) ?? [];
    return found === undefined ? [] : [`"${found.trim()}": ${instead}`];
  });
}
