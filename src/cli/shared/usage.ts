/** The command line was wrong: exit code 2, one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
