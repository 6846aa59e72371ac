/** What is wrong with generated files. */
export const files = {
  'file-refused': {
    title: (file: string, program: string) => `${program} refuses ${file}`,
    whatToDo: 'This is a fault of upi-wizard: report it with the file.',
  },
};
