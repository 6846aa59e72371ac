import { catalogue } from '../../i18n/catalogue.ts';
import {
  findNonDefaultStream,
  formatMinorRelease,
  getRhelMajor,
  getUnknownVersionReason,
  getVersionProfile,
  parseMinorVersion,
} from '../versions.ts';
import { createNodeGroupRule, type DesignRule, INSTALLER_VALIDATION } from './rule.ts';

const words = () => catalogue().designRules;

const architectureVersion: DesignRule = {
  id: 'architecture-version',
  severity: 'error',
  source: 'OpenShift 4.10 release notes: 64-bit ARM on bare metal',
  title: () => words().architectureVersion.title,
  check({ openshift }, report) {
    const { architectures, product } = getVersionProfile(openshift.version);
    if (parseMinorVersion(openshift.version) === null || architectures.includes(openshift.architecture)) return;
    const { message, fix, fixOkd } = words().architectureVersion;
    const text = message(formatMinorRelease(openshift.version), openshift.architecture);
    report(['openshift', 'architecture'], { message: text, fix: product === 'OKD' ? fixOkd : fix });
  },
};

const architectureBoot: DesignRule = {
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

const architectureIpxe: DesignRule = {
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

const architectureFirmware = createNodeGroupRule(
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
      return [{ path: ['firmware'], group: '', message, fix }];
    },
);

const fipsHost: DesignRule = {
  id: 'fips-host',
  dependsOn: [['openshift'], ['services', 'bastion']],
  severity: 'warning',
  source: `${INSTALLER_VALIDATION} and pkg/hostcrypt: the installer runs in FIPS mode (4.16)`,
  title: () => words().fipsHost.title,
  check({ fips, openshift, services }, report) {
    if (!fips || !getVersionProfile(openshift.version).requiresFipsHost) return;
    const { bastion } = services;
    const message = bastion.os === 'debian' ? words().fipsHost.messageDebian(bastion.name) : words().fipsHost.message;
    report(['fips'], { message, fix: words().fipsHost.fix });
  },
};

const streamVersion: DesignRule = {
  id: 'os-image-stream',
  severity: 'error',
  source: 'openshift/installer#10192: osImageStream in install-config (4.22)',
  title: () => words().streamVersion.title,
  check({ openshift }, report) {
    const { osImageStream, product } = getVersionProfile(openshift.version);
    if (openshift.osImageStream === null || osImageStream !== 'unknown') return;
    const { message, fix, fixOkd } = words().streamVersion;
    const text = message(formatMinorRelease(openshift.version));
    report(['openshift', 'osImageStream'], { message: text, fix: product === 'OKD' ? fixOkd : fix });
  },
};

const streamPreview: DesignRule = {
  id: 'os-image-stream-preview',
  dependsOn: [['openshift', 'version']],
  severity: 'warning',
  source: 'openshift/installer pkg/types/validation/featuregates.go; openshift/api features.go: OSStreams until 5.0',
  title: () => words().streamPreview.title,
  check({ openshift }, report) {
    const { osImageStream, minor } = getVersionProfile(openshift.version);
    if (osImageStream !== 'preview' || findNonDefaultStream(openshift) === null) return;
    const { message, fix } = words().streamPreview;
    report(['openshift', 'osImageStream'], { message: message(minor), fix });
  },
};

const streamPower: DesignRule = {
  id: 'os-image-stream-power',
  dependsOn: [['openshift']],
  severity: 'warning',
  source: 'OpenShift 5.0 release notes: Power9 only with the stream rhel-9',
  title: () => words().streamPower.title,
  check({ openshift }, report) {
    if (openshift.architecture !== 'ppc64le' || getRhelMajor(openshift) !== 10) return;
    report(['openshift', 'osImageStream'], { message: words().streamPower.message, fix: words().streamPower.fix });
  },
};

export const platformRules: readonly DesignRule[] = [
  architectureVersion,
  architectureBoot,
  architectureIpxe,
  architectureFirmware,
  fipsHost,
  streamVersion,
  streamPreview,
  streamPower,
];

const versionKnown: DesignRule = {
  id: 'version-known',
  severity: 'error',
  source: 'the versions whose installer source was reviewed; OKD: okd-project/okd#2077, #2186, #2222',
  title: () => words().versionKnown.title,
  check({ openshift }, report) {
    const reason = getUnknownVersionReason(openshift.version);
    if (reason === null) return;
    const { message, fix } = words().versionKnown.reasons[reason];
    report(['openshift', 'version'], { message: message(openshift.version), fix });
  },
};

const networkType: DesignRule = {
  id: 'network-type',
  dependsOn: [['openshift']],
  severity: 'error',
  source: `${INSTALLER_VALIDATION}; openshift-docs: no new installations with OpenShiftSDN from 4.15`,
  title: () => words().networkType.title,
  check({ networks, openshift }, report) {
    const { networkTypes } = getVersionProfile(openshift.version);
    const isKnownType = /^(?:openshiftsdn|ovnkubernetes|kuryr)$/i.test(networks.type);
    if (networkTypes.includes(networks.type) || (!isKnownType && /^[A-Za-z][A-Za-z0-9]{0,62}$/.test(networks.type)))
      return;
    const message = words().networkType.message(networks.type, formatMinorRelease(openshift.version));
    report(['networks', 'type'], { message, fix: words().networkType.fix(networkTypes.join(' or ')) });
  },
};

const networkTypeOther: DesignRule = {
  id: 'network-type-other',
  severity: 'warning',
  source: 'openshift-docs: third-party network plug-ins bring their manifests',
  title: () => words().networkTypeOther.title,
  check({ networks }, report) {
    if (/^(?:openshiftsdn|ovnkubernetes|kuryr)$/i.test(networks.type) || !/^[A-Za-z0-9]+$/.test(networks.type)) return;
    report(['networks', 'type'], {
      message: words().networkTypeOther.message(networks.type),
      fix: words().networkTypeOther.fix,
    });
  },
};

export const versionRules: readonly DesignRule[] = [versionKnown, networkType, networkTypeOther];
