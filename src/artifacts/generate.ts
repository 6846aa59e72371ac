import { bindFiles } from './bind.ts';
import { dhcpdFiles } from './dhcpd.ts';
import { type Draft, finish, type GenerateInput, sha256 } from './draft.ts';
import type { FilesManifest, GeneratedFile } from './files.ts';
import { haproxyFiles } from './haproxy.ts';
import { installConfigFiles } from './install-config.ts';
import { ipxeFiles } from './ipxe.ts';

/** What one run produces: the files, and the `files.json` that lists them. */
export interface Generated {
  readonly manifest: FilesManifest;
  readonly files: readonly GeneratedFile[];
}

const GENERATORS: readonly ((input: GenerateInput) => Draft[])[] = [
  bindFiles,
  dhcpdFiles,
  haproxyFiles,
  ipxeFiles,
  installConfigFiles,
];

/**
 * All files of one stage. Every stage has all files, so that two stages differ only in what changed. Pure: the same design
 * and the same previous output give the same bytes.
 * @throws TroubleError `credential-missing`, `credential-wrong`, `unsafe-text`
 */
export function generate(input: GenerateInput): Generated {
  const files = GENERATORS.flatMap((make) => make(input)).map(finish);
  return { files, manifest: manifestOf(input, files) };
}

function manifestOf({ design, stage }: GenerateInput, files: readonly GeneratedFile[]): FilesManifest {
  return {
    stage,
    design: sha256(JSON.stringify(design)),
    files: files.map(({ content, ...entry }) => ({ ...entry, sha256: sha256(content) })),
  };
}
