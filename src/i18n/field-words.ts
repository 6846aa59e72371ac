/**
 * The minimum size of the disk of a node in GiB, from OpenShift 4.6 on. Source: openshift-docs
 * modules/installation-minimum-resource-requirements.adoc.
 */
export const MIN_DISK_GIB = 100;
/** The minimum size of the disk of a node in GiB, before OpenShift 4.6. */
export const OLD_MIN_DISK_GIB = 120;

/** The version to install, as far as the text depends on it. */
export interface VersionContext {
  /** `4.18`, without the patch version. */
  readonly minor: string;
  readonly isOkd: boolean;
  /** Whether the version is this minor version or later: `isAtLeast('4.15')`. */
  readonly isAtLeast: (minor: string) => boolean;
  /** The x86-64 level that RHCOS requires, such as `x86-64-v2`. Null: any level, or no x86 machine. */
  readonly cpuLevel: string | null;
}

/** The text of one field: its label, the short "Why" beside it, and the longer help behind Ctrl-G. */
export interface FieldWords {
  readonly label: string;
  readonly reason: string;
  /**
   * The meaning of the field, where to find the answer, the consequences of a wrong one, and whether it can be changed
   * later.
   */
  readonly help: string | ((version: VersionContext) => string);
}

/** Builds the text of one field. */
export const field = (label: string, reason: string, help: FieldWords['help']): FieldWords => ({ label, reason, help });
