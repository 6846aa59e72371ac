// Tables of the lower layers, for the reference pages.

export { FILE_KINDS, type FileKind } from '../../artifacts/file-kinds.ts';
export { listPackagesByUse, PACKAGE_SOURCES, PACKAGE_USES } from '../../artifacts/hosts/packages.ts';
export type { FileHost } from '../../artifacts/shared/generator.ts';
export { OVERRULABLE_REASONS as MANUAL_REASONS, type ReasonCode } from '../../csr/verdict.ts';
