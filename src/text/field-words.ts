/** The version that is installed, as far as the words depend on it. */
export interface VersionWords {
  /** `4.18`, without z. */
  readonly minor: string;
  /** True from this minor version on: `since('4.15')`. */
  readonly since: (minor: string) => boolean;
}

/** The words of one question: its label, the short "Why" beside it and the longer help behind Ctrl-G. */
export interface FieldWords {
  readonly label: string;
  readonly why: string;
  /** What it is, where to find the answer, what goes wrong, and whether it can be changed later. */
  readonly help: string | ((version: VersionWords) => string);
}

export const field = (label: string, why: string, help: FieldWords['help']): FieldWords => ({ label, why, help });
