import { catalogue } from '../../i18n/catalogue.ts';
import { parseMinorVersion, versionProfile } from '../versions.ts';
import { nodeGroupRule } from './node-rule.ts';
import type { Rule } from './rule.ts';
import { INSTALLER_VALIDATION } from './rule-sources.ts';

const words = () => catalogue().designRules;

// Requirements of the machine architecture and of FIPS.

const architectureVersion: Rule = {
  id: 'architecture-version',
  severity: 'error',
  source: 'OpenShift 4.10 release notes: 64-bit ARM on bare metal',
  title: () => words().architectureVersion.title,
  check({ openshift }, report) {
    const { architectures, minor } = versionProfile(openshift.version);
    if (parseMinorVersion(openshift.version) === null || architectures.includes(openshift.architecture)) return;
    const message = words().architectureVersion.message(minor, openshift.architecture);
    report(['openshift', 'architecture'], { message, fix: words().architectureVersion.fix });
  },
};

const architectureBoot: Rule = {
  id: 'architecture-boot',
  dependsOn: [['openshift']],
  severity: 'error',
  source: 'iPXE is built for x86 and ARM; openshift-docs, installing on IBM Power (GRUB by petitboot) and IBM Z',
  title: () => words().architectureBoot.title,
  check({ openshift: { architecture }, services }, report) {
    if (services.boot.kind !== 'ipxe' || (architecture !== 'ppc64le' && architecture !== 's390x')) return;
    const problem = { message: words().architectureBoot.message(architecture), fix: words().architectureBoot.fix };
    report(['services', 'boot', 'kind'], problem);
  },
};

const architectureIpxe: Rule = {
  id: 'architecture-ipxe',
  dependsOn: [['openshift'], ['services', 'bastion']],
  severity: 'warning',
  source: 'RHEL 9 and 10: ipxe-bootimgs-aarch64',
  title: () => words().architectureIpxe.title,
  check({ openshift: { architecture }, services }, report) {
    const { boot, bastion } = services;
    const hasPackage = bastion.os === 'rhel9' || bastion.os === 'rhel10';
    if (boot.kind !== 'ipxe' || architecture !== 'aarch64' || hasPackage) return;
    const problem = { message: words().architectureIpxe.message(bastion.os), fix: words().architectureIpxe.fix };
    report(['services', 'boot', 'kind'], problem);
  },
};

const architectureFirmware = nodeGroupRule(
  {
    id: 'architecture-firmware',
    dependsOn: [['openshift']],
    severity: 'error',
    source: 'Arm Server Base Boot Requirements: UEFI',
    title: () => words().architectureFirmware.title,
  },
  ({ openshift }) =>
    ({ firmware }) => {
      if (openshift.architecture !== 'aarch64' || firmware !== 'bios') return [];
      const { message, fix } = words().architectureFirmware;
      return [{ at: ['firmware'], group: '', message, fix }];
    },
);

const fipsHost: Rule = {
  id: 'fips-host',
  dependsOn: [['openshift'], ['services', 'bastion']],
  severity: 'warning',
  source: `${INSTALLER_VALIDATION} and pkg/hostcrypt: the installer runs in FIPS mode (4.16)`,
  title: () => words().fipsHost.title,
  check({ fips, openshift, services }, report) {
    if (!fips || !versionProfile(openshift.version).requiresFipsHost) return;
    const { bastion } = services;
    const message = bastion.os === 'debian' ? words().fipsHost.messageDebian(bastion.name) : words().fipsHost.message;
    report(['fips'], { message, fix: words().fipsHost.fix });
  },
};

export const platformRules: readonly Rule[] = [
  architectureVersion,
  architectureBoot,
  architectureIpxe,
  architectureFirmware,
  fipsHost,
];
