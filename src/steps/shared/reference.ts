// The tables of the rooms below, for the reference pages.
export { FILE_KINDS, type FileHost } from '../../artifacts/kinds.ts';
export type { FileKind } from '../../artifacts/shared/files.ts';
export { MANUAL_REASONS, type ReasonCode } from '../../cluster/csr/judgement.ts';
