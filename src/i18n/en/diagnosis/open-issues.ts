/** Findings that are still open when the report is written. */
export const openIssues = {
  'left-open': {
    nodes: (names: string) => `Not Ready: ${names}`,
    operator: (name: string, why: string) => `Operator ${name}: ${why}`,
    cause: 'it is still open',
    remedy: 'The report lists it too. When it is fixed, go back to its step.',
  },
};
