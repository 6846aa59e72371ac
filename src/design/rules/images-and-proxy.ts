import { catalogue } from '../../i18n/catalogue.ts';
import { parseNetwork, toCanonicalAddress } from '../address.ts';
import { isInsideRepository, RELEASE_REPOSITORIES } from '../derived-facts.ts';
import type { Path } from '../paths.ts';
import { isDomain, isFilePath, isPlainUrl, isRepository } from '../text-formats.ts';
import { getVersionProfile } from '../versions.ts';
import { type DesignRule, INSTALLER_VALIDATION } from './rule.ts';

const words = () => catalogue().designRules;

const mirrorRelease: DesignRule = {
  id: 'mirror-release',
  dependsOn: [['openshift', 'version']],
  severity: 'warning',
  source: 'openshift-docs modules/installation-mirror-repository.adoc: both repositories are mirrored',
  title: () => words().mirrorRelease.title,
  check({ imageDigestSources, openshift }, report) {
    const repositories = RELEASE_REPOSITORIES[getVersionProfile(openshift.version).product];
    const isMirrored = (repository: string) =>
      imageDigestSources.some(({ source }) => isInsideRepository(repository, source));
    const missingRepositories = repositories.filter((repository) => !isMirrored(repository));
    // Mirrors of other images say nothing about the release.
    if (missingRepositories.length === 0 || missingRepositories.length === repositories.length) return;
    const problem = {
      message: words().mirrorRelease.message(missingRepositories.join(', ')),
      fix: words().mirrorRelease.fix,
    };
    report(['imageDigestSources'], problem);
  },
};

const filePath: DesignRule = {
  id: 'file-path',
  severity: 'error',
  source: 'paths are displayed and passed to programs',
  title: () => words().filePath.title,
  check({ credentials, additionalTrustBundleFile, downloadsDir }, report) {
    const filePaths: { path: Path; file: string | null }[] = [
      { path: ['credentials', 'pullSecretFile'], file: credentials.pullSecretFile },
      { path: ['credentials', 'sshKeyFile'], file: credentials.sshKeyFile },
      { path: ['credentials', 'fencingFile'], file: credentials.fencingFile },
      { path: ['additionalTrustBundleFile'], file: additionalTrustBundleFile },
      { path: ['downloadsDir'], file: downloadsDir },
    ];
    for (const { path, file } of filePaths) {
      if (file !== null && !isFilePath(file))
        report(path, { message: words().filePath.message, fix: words().filePath.fix });
    }
  },
};

const proxyUrl: DesignRule = {
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

const noProxy: DesignRule = {
  id: 'no-proxy',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: each element of noProxy must be a IP, CIDR or domain (4.7); "*" from 4.6 on (#4172)`,
  title: () => words().noProxy.title,
  check({ proxy, openshift }, report) {
    if (proxy === null || proxy.noProxy === '') return;
    const { canNoProxyBeWildcard, minor } = getVersionProfile(openshift.version);
    if (proxy.noProxy === '*') {
      const { notYet, fixNotYet } = words().noProxy;
      if (!canNoProxyBeWildcard) report(['proxy', 'noProxy'], { message: notYet(minor), fix: fixNotYet });
      return;
    }
    for (const entry of proxy.noProxy.split(',')) {
      const domain = entry.replace(/^\./, '').replace(/\.$/, '').toLowerCase();
      if (toCanonicalAddress(entry) !== null || parseNetwork(entry) !== null || isDomain(domain)) continue;
      report(['proxy', 'noProxy'], { message: words().noProxy.message(entry), fix: words().noProxy.fix });
    }
  },
};

const trustBundlePolicy: DesignRule = {
  id: 'trust-bundle-policy',
  severity: 'warning',
  source: `${INSTALLER_VALIDATION}: additionalTrustBundlePolicy (4.12); the default Proxyonly ignores the bundle without a proxy`,
  title: () => words().trustBundlePolicy.title,
  check({ additionalTrustBundleFile, additionalTrustBundlePolicy, proxy, openshift }, report) {
    const texts = words().trustBundlePolicy;
    const path: Path = ['additionalTrustBundlePolicy'];
    const { hasTrustBundlePolicy, minor } = getVersionProfile(openshift.version);
    if (additionalTrustBundlePolicy === null) return;
    if (!hasTrustBundlePolicy) {
      if (additionalTrustBundlePolicy === 'Proxyonly' && proxy === null)
        report(path, { message: texts.notYet(minor), fix: texts.fixNotYet });
      return;
    }
    if (additionalTrustBundleFile === null) report(path, { message: texts.noBundle, fix: texts.fixNoBundle });
    else if (additionalTrustBundlePolicy === 'Proxyonly' && proxy === null) {
      report(path, { message: texts.proxyOnly, fix: texts.fixProxyOnly });
    }
  },
};

const mirrorRepository: DesignRule = {
  id: 'mirror-repository',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: must be repository--not reference; whole registries from 4.10 on (#5297, #5346)`,
  title: () => words().mirrorRepository.title,
  check({ imageDigestSources, openshift }, report) {
    const { canMirrorBeRegistry, minor } = getVersionProfile(openshift.version);
    const texts = words().mirrorRepository;
    const repositories = imageDigestSources.flatMap(({ source, mirrors }, index) => [
      { path: ['imageDigestSources', index, 'source'] as Path, text: source },
      ...mirrors.map((text, mirrorIndex) => ({
        path: ['imageDigestSources', index, 'mirrors', mirrorIndex] as Path,
        text,
      })),
    ]);
    for (const { path, text } of repositories) {
      if (!isRepository(text)) report(path, { message: texts.message(text), fix: texts.fix });
      else if (!canMirrorBeRegistry && !text.includes('/'))
        report(path, { message: texts.notYet(text, minor), fix: texts.fixNotYet });
    }
  },
};

export const imageAndProxyRules: readonly DesignRule[] = [
  filePath,
  proxyUrl,
  noProxy,
  trustBundlePolicy,
  mirrorRepository,
  mirrorRelease,
];
