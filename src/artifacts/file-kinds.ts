import { coreosInstaller } from './boot/iso.ts';
import { grub, ipxe, tftp } from './boot/network-boot.ts';
import { nginx } from './boot/nginx.ts';
import { dhcpd, kea } from './dhcp/servers.ts';
import { bindConf, bindZones } from './dns/bind.ts';
import { dnsRecordsCsv, nsupdate } from './dns/records.ts';
import { installScript } from './hosts/install-script.ts';
import { selinux } from './hosts/selinux.ts';
import { chrony, chronyMachineConfigs } from './hosts/time.ts';
import { infraManifest } from './infra-manifest.ts';
import { installConfigFile } from './install-config.ts';
import { haproxy, keepalived } from './load-balancer.ts';
import { firewall } from './network/firewall.ts';
import { envScript, networkNotes } from './network/notes.ts';
import type { FileGenerator, FileKindDefinition } from './shared/generator.ts';

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

export type FileKind = (typeof TABLE)[number]['kind'] | typeof installScript.kind;

/** The generators, one for each kind of file, in the order in which `files.json` lists the files. */
export const FILE_GENERATORS: readonly FileGenerator<FileKind>[] = TABLE;

/** Every kind of generated file. */
export const FILE_KINDS: readonly FileKindDefinition<FileKind>[] = [...TABLE, installScript];
