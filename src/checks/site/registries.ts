import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { ProbeAnswer } from '../../probes/probe-types.ts';
import type { ExpectedSite } from './expected-site.ts';
import { type QueryVerdict, query, type SiteCheck } from './query.ts';

const words = () => catalogue().diagnosis.site.said.registry;

/** Listed in every Red Hat pull secret for telemetry. No images are pulled from it. */
const TELEMETRY_HOST = 'cloud.openshift.com';

/**
 * Checks that the login of the pull secret is valid at each of its registries. A failure is fatal for a registry of the
 * release.
 */
export const pullSecretRegistries: SiteCheck<'pull-secret-registry'> = {
  code: 'pull-secret-registry',
  phase: 'before-boot',
  severity: 'fatal',
  listQueries: ({ registries }) => {
    const needed = new Set(registries.needed);
    const all = new Set([...needed, ...(registries.known ?? [])]);
    all.delete(TELEMETRY_HOST);
    return [...all].map((registry) =>
      query(
        'registry',
        { registry, repository: null },
        { subject: registry, command: formatLoginCommand(registries, registry) },
        (answer) => {
          const verdict = evaluateRegistryAnswer(answer);
          // Nodes need this registry. The others serve only catalog operators and do not stop the installation.
          return needed.has(registry) ? verdict : { ...verdict, severity: 'warning' };
        },
      ),
    );
  },
};

/** Checks that each mirror of the design has its repository and that this pull secret may read it. */
export const registryMirrors: SiteCheck<'registry-mirror'> = {
  code: 'registry-mirror',
  phase: 'before-boot',
  severity: 'fatal',
  listQueries: ({ registries }) =>
    registries.mirrors.map((mirror) => {
      const [registry = '', ...path] = mirror.split('/');
      const repository = path.join('/');
      const command = `skopeo list-tags --authfile ${quotePullSecretPath(registries)} docker://${mirror}`;
      return query(
        'registry',
        { registry, repository: repository || null },
        { subject: mirror, command },
        evaluateRegistryAnswer,
      );
    }),
};

/** Checks that the proxy of the design allows connections to the registry that the release comes from. */
export const registryProxy: SiteCheck<'registry-proxy'> = {
  code: 'registry-proxy',
  phase: 'before-boot',
  severity: 'fatal',
  listQueries: ({ registries }) => {
    const [registry] = registries.needed;
    if (registries.proxy === null || registry === undefined) return [];
    const command = `curl -sI -x ${registries.proxy} https://${registry}/v2/`;
    const subject = registries.proxy.replace(/^https?:\/\//, '');
    const evaluate = ({ state, via, detail }: ProbeAnswer<'registry'>): QueryVerdict => {
      if (state === 'not-queried') return { state: 'unknown', detail: words().needsOnline };
      if (via === null) return { state: 'ok', detail: words().bypassesProxy(registry) };
      if (state === 'proxy-failed' || state === 'proxy-refused') return { state: 'failed', detail };
      if (state === 'unreachable') return { state: 'unknown', detail: words().viaProxy(detail, via) };
      return { state: 'ok', detail: words().reached(registry) };
    };
    return [query('registry', { registry, repository: null }, { subject, command }, evaluate)];
  },
};

/**
 * Without --online the state is `unknown`. It is also `unknown` if a registry does not answer without a proxy: nodes
 * may have another route.
 */
function evaluateRegistryAnswer({ state, via, detail }: ProbeAnswer<'registry'>): QueryVerdict {
  const message = via === null ? detail : words().viaProxy(detail, via);
  const { remedies } = words();
  switch (state) {
    case 'not-queried':
      return { state: 'unknown', detail: words().needsOnline };
    case 'no-secret':
      return { state: 'unknown', detail: words().noSecret };
    case 'accepted':
    case 'open':
      return { state: 'ok', detail: message };
    case 'unreachable':
      return via === null
        ? { state: 'unknown', detail: words().onlyFromHere(detail) }
        : { state: 'failed', detail: message, remedy: remedies.proxy };
    case 'proxy-failed':
    case 'proxy-refused':
      return { state: 'failed', detail: message, remedy: remedies.proxy };
    case 'untrusted':
      return { state: 'failed', detail: message, remedy: remedies.untrusted };
    case 'no-registry':
    case 'no-repository':
      return { state: 'failed', detail: message, remedy: remedies.mirror };
    case 'needs-login':
    case 'refused':
      return { state: 'failed', detail: message };
  }
}

const quotePullSecretPath = ({ file }: ExpectedSite['registries']) => quoteShellArg(file ?? 'pull-secret.txt');

/** With an existing login, podman asks the registry whether it is still valid. */
function formatLoginCommand(registries: ExpectedSite['registries'], registry: string): string {
  const proxy = registries.proxy === null ? '' : `HTTPS_PROXY=${registries.proxy} `;
  return `${proxy}podman login --authfile ${quotePullSecretPath(registries)} ${registry}`;
}
