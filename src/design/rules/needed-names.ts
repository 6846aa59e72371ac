import { catalogue } from '../../text/catalogue.ts';
import type { Design } from '../model.ts';
import { apiIntName, apiName, appsDomain, nodeFqdn, serviceHostFqdn, serviceHosts } from '../names.ts';
import type { Path } from '../paths.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

interface NeededName {
  readonly at: Path;
  readonly name: string;
}

/** The hosts that the nodes reach by a name, where the design gives one. An address or what cannot be read has no part in it. */
function neededNames({ services, proxy, imageDigestSources }: Design): NeededName[] {
  const hostOf = (url: string) => URL.parse(url)?.hostname ?? '';
  return [
    ...(['httpProxy', 'httpsProxy'] as const).map((key) => ({ at: ['proxy', key], name: hostOf(proxy?.[key] ?? '') })),
    ...services.time.servers.map((name, index) => ({ at: ['services', 'time', 'servers', index], name })),
    ...imageDigestSources.flatMap(({ mirrors }, source) =>
      mirrors.map((mirror, index) => ({
        at: ['imageDigestSources', source, 'mirrors', index],
        name: mirror.split(/[/:]/)[0] ?? '',
      })),
    ),
  ].map(({ at, name }) => ({ at, name: name.toLowerCase() }));
}

/** True for the names that are in the forward zone that is generated (src/artifacts/dns-records.ts). */
function answered(design: Design): (name: string) => boolean {
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
  restsOn: [['cluster'], ['nodes'], ['services']],
  severity: 'warning',
  source: 'RFC 1034 section 4.3.2: who has a zone answers for all of it, and asks no forwarder about what is not there',
  title: () => words().nameUnanswered.title,
  check(design, report) {
    const { baseDomain } = design.cluster;
    if (design.services.dns.kind !== 'bind' || baseDomain === '') return;
    const isAnswered = answered(design);
    const told = new Set<string>();
    for (const { at, name } of neededNames(design)) {
      const isOurs = name === baseDomain || name.endsWith(`.${baseDomain}`);
      if (!isOurs || isAnswered(name) || told.has(name)) continue;
      const message = words().nameUnanswered.message(name, baseDomain);
      if (report(at, { message, fix: words().nameUnanswered.fix(baseDomain) })) told.add(name);
    }
  },
};

export const neededNameRules: readonly Rule[] = [nameUnanswered];
