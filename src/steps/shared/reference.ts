// The tables of the rooms below, for the reference pages.
export { PACKAGE_SOURCES, PACKAGE_USES, packagesOf } from '../../artifacts/hosts/packages.ts';
export { FILE_KINDS, type FileKind } from '../../artifacts/kinds.ts';
export type { FileHost } from '../../artifacts/shared/draft.ts';
export { MANUAL_REASONS, type ReasonCode } from '../../cluster/csr/judgement.ts';
