import { grub } from './boot/grub.ts';
import { ipxe } from './boot/ipxe.ts';
import { coreosInstaller } from './boot/iso.ts';
import { nginx } from './boot/nginx.ts';
import { tftp } from './boot/tftp.ts';
import { infraManifest } from './cluster/infra-manifest.ts';
import { dhcpd } from './dhcp/dhcpd.ts';
import { kea } from './dhcp/kea.ts';
import { bindConf } from './dns/bind.ts';
import { nsupdate } from './dns/nsupdate.ts';
import { dnsRecordsCsv } from './dns/records-csv.ts';
import { bindZones } from './dns/zones.ts';
import { hostScript } from './hosts/install-script.ts';
import { selinux } from './hosts/selinux.ts';
import { chrony, chronyMachineConfigs } from './hosts/time.ts';
import { installConfigFile } from './installer/install-config.ts';
import { haproxy } from './load-balancer/haproxy.ts';
import { keepalived } from './load-balancer/keepalived.ts';
import { firewall } from './network/firewall.ts';
import { envScript, networkNotes } from './network/notes.ts';
import type { FileKindFacts, Generator } from './shared/generator.ts';

const TABLE = [
  bindConf,
  bindZones,
  dnsRecordsCsv,
  nsupdate,
  dhcpd,
  kea,
  keepalived,
  haproxy,
  ipxe,
  coreosInstaller,
  nginx,
  tftp,
  grub,
  installConfigFile,
  chrony,
  chronyMachineConfigs,
  infraManifest,
  firewall,
  selinux,
  envScript,
  networkNotes,
] as const;

export type FileKind = (typeof TABLE)[number]['kind'] | typeof hostScript.kind;

/** The generators, one for each kind of file, in the order in which `files.json` lists the files. */
export const GENERATORS: readonly Generator<FileKind>[] = TABLE;

/** Every kind of generated file. */
export const FILE_KINDS: readonly FileKindFacts<FileKind>[] = [...TABLE, hostScript];
