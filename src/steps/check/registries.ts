import { registryProbe } from '../../bastion/probes/registry-probe.ts';
import { proxyOf } from '../../bastion/tls-tunnel.ts';
import type { Design } from '../../design/model.ts';
import { apiIntName } from '../../design/names.ts';
import type { Answer, Question, Unmeasured } from '../../diagnosis/site/exchange.ts';
import type { Site } from '../../diagnosis/site/site.ts';
import { SECOND } from '../../ports/clock.ts';
import { loginsIn } from '../../text/pull-secret.ts';
import { urlHost } from '../../text/url-host.ts';
import type { StepContext } from '../contract.ts';
import { readCredentials } from '../shared/files/credentials.ts';

/** Three connections across the internet, perhaps through a proxy. */
const PATIENCE = 10 * SECOND;

type Place = Pick<StepContext, 'design' | 'reach' | 'clock' | 'credentials'>;

/** The registries that images come from by the design, and those that the pull secret has logins for. */
export async function registriesOf(place: Pick<Place, 'design' | 'credentials'>): Promise<Site['registries']> {
  const { imageDigestSources, proxy } = place.design;
  const mirrors = imageDigestSources.flatMap((each) => each.mirrors);
  const logins = await loginsOf(place);
  const found = proxy === null ? null : proxyOf(proxy.httpsProxy);
  const host = found && urlHost(found.host);
  return {
    needed: mirrors.length > 0 ? [...new Set(mirrors.map((mirror) => mirror.split('/')[0] ?? ''))] : ['quay.io'],
    known: logins === null ? null : [...new Set([...logins.keys()].map((name) => name.split('/')[0] ?? ''))],
    mirrors: [...new Set(mirrors)],
    // Without its password.
    proxy: found === null ? null : `${found.isTls ? 'https' : 'http'}://${host}:${found.port}`,
    file: place.credentials.pullSecretFile,
  };
}

/** Asks a registry with the login of the pull secret; nothing leaves this machine unless `isOnline`. */
export async function lookAtRegistry(
  place: Place,
  { registry, repository }: Question<'registry'>,
  isOnline: boolean,
): Promise<Answer<'registry'> | Unmeasured> {
  const nothing = { via: null, detail: '' };
  if (!isOnline) return { state: 'unasked', ...nothing };
  const { design, reach, clock } = place;
  const { trustBundle } = await readCredentials(place).catch(() => ({ trustBundle: null }));
  const logins = await loginsOf(place);
  if (logins === null) return { state: 'no-secret', ...nothing };
  const own = [...logins].filter(
    ([name]) => name === registry || `${registry}/${repository ?? ''}`.startsWith(`${name}/`),
  );
  // The longest name is the nearest (containers-auth.json(5)).
  const [, login = null] = own.sort(([one], [other]) => other.length - one.length)[0] ?? [];
  const question = {
    registry,
    repository,
    login,
    httpsProxy: design.proxy?.httpsProxy ?? '',
    noProxy: noProxyOf(design),
    authorities: trustBundle === null ? [] : [trustBundle],
  };
  return await registryProbe(reach, clock, question, PATIENCE);
}

/** What goes past the proxy of a cluster: what the design says, and what the network operator adds (openshift/cluster-network-operator, pkg/util/proxyconfig). */
function noProxyOf(design: Design): string {
  const { machine, cluster, service } = design.networks;
  const networks = [...machine.map(({ cidr }) => cidr), ...cluster.map(({ cidr }) => cidr), ...service];
  const own = ['.cluster.local', '.svc', apiIntName(design)];
  return [design.proxy?.noProxy ?? '', ...networks, ...own].join(',');
}

/** user:password in base64, by registry; null: there is no pull secret that can be read. */
async function loginsOf(place: Pick<Place, 'credentials'>): Promise<ReadonlyMap<string, string> | null> {
  const { pullSecret } = await readCredentials(place).catch(() => ({ pullSecret: null }));
  const logins = pullSecret === null ? null : loginsIn(pullSecret);
  return (
    logins &&
    new Map([...logins].flatMap(([name, { auth }]) => (typeof auth === 'string' ? [[name, auth] as const] : [])))
  );
}
