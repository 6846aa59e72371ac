import { catalogue } from '../../i18n/catalogue.ts';
import { parseMinorVersion, versionProfile } from '../versions.ts';
import type { Rule } from './rule.ts';
import { INSTALLER_VALIDATION } from './rule-sources.ts';

const words = () => catalogue().designRules;

const versionKnown: Rule = {
  id: 'version-known',
  severity: 'error',
  source: 'the versions whose installer was read',
  title: () => words().versionKnown.title,
  check({ openshift }, report) {
    if (parseMinorVersion(openshift.version) !== null) return;
    const message = words().versionKnown.message(openshift.version);
    report(['openshift', 'version'], { message, fix: words().versionKnown.fix });
  },
};

const networkType: Rule = {
  id: 'network-type',
  dependsOn: [['openshift']],
  severity: 'error',
  source: `${INSTALLER_VALIDATION}; openshift-docs: no new installations with OpenShiftSDN from 4.15`,
  title: () => words().networkType.title,
  check({ networks, openshift }, report) {
    const { networkTypes, minor } = versionProfile(openshift.version);
    const isKnownType = /^(?:openshiftsdn|ovnkubernetes|kuryr)$/i.test(networks.type);
    if (networkTypes.includes(networks.type) || (!isKnownType && /^[A-Za-z][A-Za-z0-9]{0,62}$/.test(networks.type)))
      return;
    const message = words().networkType.message(networks.type, minor);
    report(['networks', 'type'], { message, fix: words().networkType.fix(networkTypes.join(' or ')) });
  },
};

const networkTypeOther: Rule = {
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

export const versionRules: readonly Rule[] = [versionKnown, networkType, networkTypeOther];
