import { nodesWithRole } from '../design/names.ts';
import { grubFiles } from './boot/grub.ts';
import { ipxeFiles } from './boot/ipxe.ts';
import { isoFiles } from './boot/iso.ts';
import { nginxFiles } from './boot/nginx.ts';
import { tftpFiles } from './boot/tftp.ts';
import { infraFiles } from './cluster/infra-manifest.ts';
import { dhcpdFiles } from './dhcp/dhcpd.ts';
import { keaFiles } from './dhcp/kea.ts';
import { bindFiles } from './dns/bind.ts';
import { dnsListFiles } from './dns/list.ts';
import { nsupdateFiles } from './dns/nsupdate.ts';
import { hostScripts } from './hosts/install-script.ts';
import { selinuxFiles } from './hosts/selinux.ts';
import { chronyFiles } from './hosts/time.ts';
import { installConfigFiles } from './installer/install-config.ts';
import { haproxyFiles } from './load-balancer/haproxy.ts';
import { keepalivedFiles } from './load-balancer/keepalived.ts';
import { firewallFiles } from './network/firewall.ts';
import { noteFiles } from './network/notes.ts';
import { type Draft, finish, type GenerateInput, outputFile, sha256 } from './shared/draft.ts';
import type { FilesManifest, GeneratedFile } from './shared/files.ts';

/** What one run produces: the files, and the `files.json` that lists them. */
export interface Generated {
  readonly manifest: FilesManifest;
  readonly files: readonly GeneratedFile[];
}

const GENERATORS: readonly ((input: GenerateInput) => Draft[])[] = [
  bindFiles,
  dnsListFiles,
  nsupdateFiles,
  dhcpdFiles,
  keaFiles,
  keepalivedFiles,
  haproxyFiles,
  ipxeFiles,
  isoFiles,
  nginxFiles,
  tftpFiles,
  grubFiles,
  installConfigFiles,
  chronyFiles,
  infraFiles,
  firewallFiles,
  selinuxFiles,
  noteFiles,
];

/**
 * All files of one stage. Every stage has all files, so that two stages differ only in what changed. Pure: the same design
 * and the same previous output give the same bytes.
 * @throws TroubleError `credential-missing`, `credential-wrong`, `unsafe-text`
 */
export function generate(input: GenerateInput): Generated {
  const drafts = GENERATORS.flatMap((make) => make(input)).map((draft) => keptForBootstrap(input, draft));
  const files = [...drafts, ...hostScripts(input.design, drafts)].map(finish);
  return { files, manifest: manifestOf(input, files) };
}

/** The file that the bootstrap node boots with stays as it was once the node is gone, even when all others are generated again. */
function keptForBootstrap({ design, stage, previous }: GenerateInput, draft: Draft): Draft {
  if (stage === 'install' || !BOOT_KINDS.has(draft.kind)) return draft;
  const bootstrap = nodesWithRole(design, 'bootstrap');
  if (!bootstrap.some(({ name, mac }) => isOwn(draft.path, name, mac))) return draft;
  const before = previous?.contents(outputFile(draft.host, draft.path)) ?? null;
  return before === null ? draft : { ...draft, content: before };
}

const BOOT_KINDS: ReadonlySet<string> = new Set(['ipxe', 'grub', 'coreos-installer']);

/** Scripts are named by the MAC (iPXE, GRUB) or the name (ISO) of their node. */
function isOwn(path: string, name: string, mac: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return file.includes(mac.replaceAll(':', '-')) || file === `${name}.sh`;
}

function manifestOf({ design, stage }: GenerateInput, files: readonly GeneratedFile[]): FilesManifest {
  return {
    stage,
    design: sha256(JSON.stringify(design)),
    files: files.map(({ content, ...entry }) => ({ ...entry, sha256: sha256(content) })),
  };
}
