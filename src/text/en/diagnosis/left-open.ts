/** What was left open when the report is written. */
export const leftOpen = {
  'left-open': {
    nodes: (names: string) => `Not Ready: ${names}`,
    operator: (name: string, why: string) => `Operator ${name}: ${why}`,
    cause: 'it is still open',
    whatToDo: 'The report lists it too. When it is fixed, go back to its step.',
  },
};
