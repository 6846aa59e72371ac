import type { ExpectedSite } from '../../checks/site/expected-site.ts';
import type { ProbeAnswer, ProbeQuestion, Unmeasurable } from '../../checks/site/probe-types.ts';
import { apiIntName } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { SECOND } from '../../platform/clock.ts';
import { formatUrlHost } from '../../platform/http.ts';
import { parsePullSecret } from '../../platform/secrets.ts';

import { probeRegistry } from '../../probes/registry-probe.ts';
import { parseProxy } from '../../probes/tls-tunnel.ts';
import type { StepContext } from '../contract.ts';
import { readCredentials } from '../shared/files/credentials.ts';

/** Three connections across the internet, perhaps through a proxy. */
const REGISTRY_TIMEOUT = 10 * SECOND;

type RegistryContext = Pick<StepContext, 'design' | 'resolveEndpoint' | 'clock' | 'credentials'>;

/** Collects the registries that the design pulls images from, and those that the pull secret has logins for. */
export async function collectRegistries(
  context: Pick<RegistryContext, 'design' | 'credentials'>,
): Promise<ExpectedSite['registries']> {
  const { imageDigestSources, proxy } = context.design;
  const mirrors = imageDigestSources.flatMap((each) => each.mirrors);
  const logins = await readLogins(context);
  const found = proxy === null ? null : parseProxy(proxy.httpsProxy);
  const host = found && formatUrlHost(found.host);
  return {
    needed: mirrors.length > 0 ? [...new Set(mirrors.map((mirror) => mirror.split('/')[0] ?? ''))] : ['quay.io'],
    known: logins === null ? null : [...new Set([...logins.keys()].map((name) => name.split('/')[0] ?? ''))],
    mirrors: [...new Set(mirrors)],
    // Without its password.
    proxy: found === null ? null : `${found.isTls ? 'https' : 'http'}://${host}:${found.port}`,
    file: context.credentials.pullSecretFile,
  };
}

/** Queries a registry with the login of the pull secret. Nothing leaves this machine unless `isOnline`. */
export async function probeRegistryLogin(
  context: RegistryContext,
  { registry, repository }: ProbeQuestion<'registry'>,
  isOnline: boolean,
): Promise<ProbeAnswer<'registry'> | Unmeasurable> {
  const nothing = { via: null, detail: '' };
  if (!isOnline) return { state: 'not-queried', ...nothing };
  const { design, resolveEndpoint, clock } = context;
  const { trustBundle } = await readCredentials(context).catch(() => ({ trustBundle: null }));
  const logins = await readLogins(context);
  if (logins === null) return { state: 'no-secret', ...nothing };
  const matching = [...logins].filter(
    ([name]) => name === registry || `${registry}/${repository ?? ''}`.startsWith(`${name}/`),
  );
  // The longest matching name is the most specific (containers-auth.json(5)).
  const [, login = null] = matching.sort(([one], [other]) => other.length - one.length)[0] ?? [];
  const question = {
    registry,
    repository,
    login,
    httpsProxy: design.proxy?.httpsProxy ?? '',
    noProxy: buildNoProxy(design),
    authorities: trustBundle === null ? [] : [trustBundle],
  };
  return await probeRegistry(resolveEndpoint, clock, question, REGISTRY_TIMEOUT);
}

/**
 * Builds the cluster's noProxy list: the entries of the design, and those that the network operator adds
 * (openshift/cluster-network-operator, pkg/util/proxyconfig).
 */
function buildNoProxy(design: Design): string {
  const { machine, cluster, service } = design.networks;
  const networks = [...machine.map(({ cidr }) => cidr), ...cluster.map(({ cidr }) => cidr), ...service];
  const internal = ['.cluster.local', '.svc', apiIntName(design)];
  return [design.proxy?.noProxy ?? '', ...networks, ...internal].join(',');
}

/** Reads the logins by registry, each user:password in base64; null if there is no readable pull secret. */
async function readLogins(context: Pick<RegistryContext, 'credentials'>): Promise<ReadonlyMap<string, string> | null> {
  const { pullSecret } = await readCredentials(context).catch(() => ({ pullSecret: null }));
  const logins = pullSecret === null ? null : parsePullSecret(pullSecret);
  return (
    logins &&
    new Map([...logins].flatMap(([name, { auth }]) => (typeof auth === 'string' ? [[name, auth] as const] : [])))
  );
}
