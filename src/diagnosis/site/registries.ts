import { catalogue } from '../../text/catalogue.ts';
import { shellWord } from '../../text/shell-word.ts';
import type { Answer } from './exchange.ts';
import { ask, type SiteCheck, type Verdict } from './question.ts';
import type { Site } from './site.ts';

const words = () => catalogue().diagnosis.site.said.registry;

/** In every pull secret of Red Hat, for telemetry: nobody pulls images there. */
const NO_REGISTRY = 'cloud.openshift.com';

/** The login of the pull secret is good at each of its registries; one that the release comes from is needed. */
export const pullSecretRegistries: SiteCheck<'pull-secret-registry'> = {
  code: 'pull-secret-registry',
  phase: 'before-boot',
  severity: 'fatal',
  asks: ({ registries }) => {
    const needed = new Set(registries.needed);
    const all = new Set([...needed, ...(registries.known ?? [])]);
    all.delete(NO_REGISTRY);
    return [...all].map((registry) =>
      ask(
        'registry',
        { registry, repository: null },
        { subject: registry, command: loginCommand(registries, registry) },
        (answer) => {
          const verdict = registryVerdict(answer);
          // A node that needs it stops; what only an operator of a catalogue pulls does not stop the installation.
          return needed.has(registry) ? verdict : { ...verdict, severity: 'warning' };
        },
      ),
    );
  },
};

/** Each mirror of the design has its repository, and lets this pull secret read it. */
export const registryMirrors: SiteCheck<'registry-mirror'> = {
  code: 'registry-mirror',
  phase: 'before-boot',
  severity: 'fatal',
  asks: ({ registries }) =>
    registries.mirrors.map((mirror) => {
      const [registry = '', ...path] = mirror.split('/');
      const repository = path.join('/');
      const command = `skopeo list-tags --authfile ${fileOf(registries)} docker://${mirror}`;
      return ask(
        'registry',
        { registry, repository: repository || null },
        { subject: mirror, command },
        registryVerdict,
      );
    }),
};

/** The proxy of the design lets connections through to the registry that the release comes from. */
export const registryProxy: SiteCheck<'registry-proxy'> = {
  code: 'registry-proxy',
  phase: 'before-boot',
  severity: 'fatal',
  asks: ({ registries }) => {
    const [registry] = registries.needed;
    if (registries.proxy === null || registry === undefined) return [];
    const command = `curl -sI -x ${registries.proxy} https://${registry}/v2/`;
    const subject = registries.proxy.replace(/^https?:\/\//, '');
    const judge = ({ state, via, detail }: Answer<'registry'>): Verdict => {
      if (state === 'unasked') return { state: 'unknown', detail: words().onlyOnline };
      if (via === null) return { state: 'ok', detail: words().past(registry) };
      if (state === 'proxy-failed' || state === 'proxy-refused') return { state: 'failed', detail };
      if (state === 'unreachable') return { state: 'unknown', detail: words().through(detail, via) };
      return { state: 'ok', detail: words().reached(registry) };
    };
    return [ask('registry', { registry, repository: null }, { subject, command }, judge)];
  },
};

/** What is only seen with a look outside is unknown without one; what does not answer by itself may answer nodes elsewhere. */
export function registryVerdict({ state, via, detail }: Answer<'registry'>): Verdict {
  const said = via === null ? detail : words().through(detail, via);
  const { remedies } = words();
  switch (state) {
    case 'unasked':
      return { state: 'unknown', detail: words().onlyOnline };
    case 'no-secret':
      return { state: 'unknown', detail: words().noSecret };
    case 'accepted':
    case 'open':
      return { state: 'ok', detail: said };
    case 'unreachable':
      return via === null
        ? { state: 'unknown', detail: words().fromHere(detail) }
        : { state: 'failed', detail: said, remedy: remedies.proxy };
    case 'proxy-failed':
    case 'proxy-refused':
      return { state: 'failed', detail: said, remedy: remedies.proxy };
    case 'untrusted':
      return { state: 'failed', detail: said, remedy: remedies.untrusted };
    case 'no-registry':
    case 'no-repository':
      return { state: 'failed', detail: said, remedy: remedies.mirror };
    case 'needs-login':
    case 'refused':
      return { state: 'failed', detail: said };
  }
}

const fileOf = ({ file }: Site['registries']) => shellWord(file ?? 'pull-secret.txt');

/** With a login that it has, podman asks the registry whether it is still good. */
function loginCommand(registries: Site['registries'], registry: string): string {
  const proxy = registries.proxy === null ? '' : `HTTPS_PROXY=${registries.proxy} `;
  return `${proxy}podman login --authfile ${fileOf(registries)} ${registry}`;
}
