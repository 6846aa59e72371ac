/** What was left open when the report is written. */
export const leftOpen = {
  'left-open': {
    nodes: (names: string) => `Not Ready: ${names}`,
    operator: (name: string, why: string) => `Operator ${name}: ${why}`,
    cause: 'it was left open on the way',
    whatToDo: 'The report says so too. Go back (Esc) to the step that it belongs to when it is mended.',
  },
};
