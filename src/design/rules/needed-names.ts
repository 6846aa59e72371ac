import { catalogue } from '../../i18n/catalogue.ts';
import type { Design } from '../model.ts';
import { apiIntName, apiName, appsDomain, nodeFqdn, serviceHostFqdn, serviceHosts } from '../names.ts';
import type { Path } from '../paths.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

interface NeededName {
  readonly at: Path;
  readonly name: string;
}

/**
 * The hosts that the nodes reach by name. Addresses and unreadable values are harmless: they are never in the base
 * domain.
 */
function listNeededNames({ services, proxy, imageDigestSources }: Design): NeededName[] {
  const parseHost = (url: string) => URL.parse(url)?.hostname ?? '';
  return [
    ...(['httpProxy', 'httpsProxy'] as const).map((key) => ({
      at: ['proxy', key],
      name: parseHost(proxy?.[key] ?? ''),
    })),
    ...services.time.servers.map((name, index) => ({ at: ['services', 'time', 'servers', index], name })),
    ...imageDigestSources.flatMap(({ mirrors }, source) =>
      mirrors.map((mirror, index) => ({
        at: ['imageDigestSources', source, 'mirrors', index],
        name: mirror.split(/[/:]/)[0] ?? '',
      })),
    ),
  ].map(({ at, name }) => ({ at, name: name.toLowerCase() }));
}

/** Creates a test for names in the generated forward zone (src/artifacts/dns/records.ts). */
function createZoneMatcher(design: Design): (name: string) => boolean {
  const known = new Set([
    ...serviceHosts(design).map((host) => serviceHostFqdn(design, host)),
    ...design.nodes.map((node) => nodeFqdn(design, node)),
    apiName(design),
    apiIntName(design),
  ]);
  return (name) => known.has(name) || name.endsWith(`.${appsDomain(design)}`);
}

const nameUnanswered: Rule = {
  id: 'name-unanswered',
  dependsOn: [['cluster'], ['nodes'], ['services']],
  severity: 'warning',
  source:
    'RFC 1034 section 4.3.2: a server answers for its whole zone, and never forwards queries for names missing in it',
  title: () => words().nameUnanswered.title,
  check(design, report) {
    const { baseDomain } = design.cluster;
    if (design.services.dns.kind !== 'bind' || baseDomain === '') return;
    const isInZone = createZoneMatcher(design);
    const reportedNames = new Set<string>();
    for (const { at, name } of listNeededNames(design)) {
      const isInBaseDomain = name === baseDomain || name.endsWith(`.${baseDomain}`);
      if (!isInBaseDomain || isInZone(name) || reportedNames.has(name)) continue;
      const message = words().nameUnanswered.message(name, baseDomain);
      if (report(at, { message, fix: words().nameUnanswered.fix(baseDomain) })) reportedNames.add(name);
    }
  },
};

export const neededNameRules: readonly Rule[] = [nameUnanswered];
