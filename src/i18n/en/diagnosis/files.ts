/** Findings about generated files. */
export const files = {
  'file-refused': {
    title: (file: string, program: string) => `${program} refuses ${file}`,
    remedy: 'This is a fault of upi-wizard: report it with the file.',
  },
};
