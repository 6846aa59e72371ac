// Tables of the generated files, for the reference pages: commands import no artifacts.

export { FILE_KINDS, type FileKind } from '../../artifacts/file-kinds.ts';
export { listPackagesByUse, PACKAGE_SOURCES, PACKAGE_USES } from '../../artifacts/hosts/packages.ts';
export type { FileHost } from '../../artifacts/shared/generator.ts';
