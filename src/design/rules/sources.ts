import { catalogue } from '../../i18n/catalogue.ts';
import { canonicalAddress, parseNetwork } from '../address.ts';
import type { Path } from '../paths.ts';
import { isDomain, isFilePath, isPlainUrl, isRepository } from '../text-forms.ts';
import { versionProfile } from '../versions.ts';
import type { Rule } from './rule.ts';
import { INSTALLER_VALIDATION } from './rule-sources.ts';

const words = () => catalogue().designRules;

// The repositories that an installation pulls from: the release image, and the images that it references.
const RELEASE_REPOSITORIES = [
  'quay.io/openshift-release-dev/ocp-release',
  'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
];

const mirrorRelease: Rule = {
  id: 'mirror-release',
  severity: 'warning',
  source: 'openshift-docs modules/installation-mirror-repository.adoc: both repositories are mirrored',
  title: () => words().mirrorRelease.title,
  check({ imageDigestSources }, report) {
    const isMirrored = (repository: string) =>
      imageDigestSources.some(({ source }) => repository === source || repository.startsWith(`${source}/`));
    const missing = RELEASE_REPOSITORIES.filter((repository) => !isMirrored(repository));
    // Mirrors of other images say nothing about the release.
    if (missing.length === 0 || missing.length === RELEASE_REPOSITORIES.length) return;
    const problem = { message: words().mirrorRelease.message(missing.join(', ')), fix: words().mirrorRelease.fix };
    report(['imageDigestSources'], problem);
  },
};

const filePath: Rule = {
  id: 'file-path',
  severity: 'error',
  source: 'paths are displayed and passed to programs',
  title: () => words().filePath.title,
  check({ credentials, additionalTrustBundleFile }, report) {
    const all: { at: Path; path: string | null }[] = [
      { at: ['credentials', 'pullSecretFile'], path: credentials.pullSecretFile },
      { at: ['credentials', 'sshKeyFile'], path: credentials.sshKeyFile },
      { at: ['additionalTrustBundleFile'], path: additionalTrustBundleFile },
    ];
    for (const { at, path } of all) {
      if (path !== null && !isFilePath(path))
        report(at, { message: words().filePath.message, fix: words().filePath.fix });
    }
  },
};

const proxyUrl: Rule = {
  id: 'proxy',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: validateProxy`,
  title: () => words().proxy.title,
  check({ proxy }, report) {
    if (proxy === null) return;
    if (proxy.httpProxy === '' && proxy.httpsProxy === '') {
      report(['proxy'], { message: words().proxy.none, fix: words().proxy.fixNone });
    }
    for (const [key, schemes] of [
      ['httpProxy', ['http:']],
      ['httpsProxy', ['http:', 'https:']],
    ] as const) {
      if (proxy[key] === '' || isPlainUrl(proxy[key], schemes)) continue;
      // The value may hold a password: it is not repeated.
      report(['proxy', key], { message: words().proxy.message(key), fix: words().proxy.fix });
    }
  },
};

const noProxy: Rule = {
  id: 'no-proxy',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: each element of noProxy must be a IP, CIDR or domain (4.7)`,
  title: () => words().noProxy.title,
  check({ proxy }, report) {
    if (proxy === null || proxy.noProxy === '' || proxy.noProxy === '*') return;
    for (const item of proxy.noProxy.split(',')) {
      const domain = item.replace(/^\./, '').replace(/\.$/, '').toLowerCase();
      if (canonicalAddress(item) !== null || parseNetwork(item) !== null || isDomain(domain)) continue;
      report(['proxy', 'noProxy'], { message: words().noProxy.message(item), fix: words().noProxy.fix });
    }
  },
};

const trustBundlePolicy: Rule = {
  id: 'trust-bundle-policy',
  severity: 'warning',
  source: `${INSTALLER_VALIDATION}: additionalTrustBundlePolicy (4.12); the default Proxyonly ignores the bundle without a proxy`,
  title: () => words().trustBundlePolicy.title,
  check({ additionalTrustBundleFile, additionalTrustBundlePolicy, proxy, openshift }, report) {
    const texts = words().trustBundlePolicy;
    const at: Path = ['additionalTrustBundlePolicy'];
    const { hasTrustBundlePolicy, minor } = versionProfile(openshift.version);
    if (additionalTrustBundlePolicy === null) return;
    if (!hasTrustBundlePolicy) {
      if (additionalTrustBundlePolicy === 'Proxyonly' && proxy === null)
        report(at, { message: texts.notYet(minor), fix: texts.fixNotYet });
      return;
    }
    if (additionalTrustBundleFile === null) report(at, { message: texts.noBundle, fix: texts.fixNoBundle });
    else if (additionalTrustBundlePolicy === 'Proxyonly' && proxy === null) {
      report(at, { message: texts.proxyOnly, fix: texts.fixProxyOnly });
    }
  },
};

const mirrorRepository: Rule = {
  id: 'mirror-repository',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: must be repository--not reference`,
  title: () => words().mirrorRepository.title,
  check({ imageDigestSources }, report) {
    const all = imageDigestSources.flatMap(({ source, mirrors }, index) => [
      { at: ['imageDigestSources', index, 'source'] as Path, text: source },
      ...mirrors.map((text, mirror) => ({ at: ['imageDigestSources', index, 'mirrors', mirror] as Path, text })),
    ]);
    for (const { at, text } of all) {
      if (isRepository(text)) continue;
      report(at, { message: words().mirrorRepository.message(text), fix: words().mirrorRepository.fix });
    }
  },
};

export const sourceRules: readonly Rule[] = [
  filePath,
  proxyUrl,
  noProxy,
  trustBundlePolicy,
  mirrorRepository,
  mirrorRelease,
];
