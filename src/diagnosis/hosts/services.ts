import { catalogue } from '../../text/catalogue.ts';
import type { PortState } from '../bootstrap/evidence.ts';
import type { Finding } from '../finding.ts';
import { judge, type Rule } from '../rule.ts';

const words = () => catalogue().diagnosis.hosts;

/** A query to a running service, and its answer. */
export interface ServiceAnswer {
  /** `silent`: a name server that answered none of the questions, in place of all of them. */
  readonly kind: 'dns' | 'reverse' | 'port' | 'silent';
  /** The server. */
  readonly server: string;
  readonly what: string;
  readonly isOk: boolean;
  readonly detail: string;
  /** Nobody answered at all. */
  readonly isSilent?: boolean;
  /** The server is somebody's own, and not set up from here. */
  readonly isForeign?: boolean;
}

/**
 * What a name server answered, compared with the design: it must match exactly.
 * @param detail why there is no answer
 */
export function nameAnswer(
  asked: Pick<ServiceAnswer, 'kind' | 'server' | 'what' | 'isSilent' | 'isForeign'>,
  want: readonly string[],
  answers: readonly string[],
  detail: string,
): ServiceAnswer {
  const isOk = answers.length === want.length && want.every((each) => answers.includes(each));
  const got = answers.join(', ');
  return { ...asked, isOk, detail: isOk ? got : words().expected(want.join(', '), got || detail) };
}

/**
 * Whether a load balancer listens. HAProxy without a member accepts and closes: it listens, which is the question here.
 * Others refuse until they have a member; only the bootstrap shows whether they listen.
 */
export function portAnswer(
  host: string,
  port: number,
  { state, detail }: { readonly state: PortState; readonly detail: string },
  isOurs: boolean,
): ServiceAnswer {
  const asked = {
    kind: 'port',
    server: host,
    what: `${host}:${port}`,
    ...(isOurs ? {} : { isForeign: true }),
  } as const;
  if (state === 'open' || state === 'closed-at-once') return { ...asked, isOk: true, detail: state };
  const mayHaveNoMember = state === 'refused' && !isOurs;
  return { ...asked, isOk: mayHaveNoMember, detail: mayHaveNoMember ? words().noMemberYet : detail };
}

/** The code of what is found of a service. */
export type ServiceCode = `service-${ServiceAnswer['kind']}`;

const answers = (kind: ServiceAnswer['kind']): Rule<ServiceAnswer, ServiceCode> => ({
  code: `service-${kind}`,
  severity: 'warning',
  judge({ kind: asked, server, isOk, what, detail, isForeign = false }) {
    if (asked !== kind || isOk) return [];
    const { title, whatToDo: ownFix, foreignFix } = words()[`service-${kind}`];
    const whatToDo = isForeign ? foreignFix : ownFix;
    // A silent server is the same one however many names it is asked for.
    return [{ subject: kind === 'silent' ? server : what, title: title(what), cause: detail, whatToDo }];
  },
});

/** Services that do not answer as designed. */
const SERVICES: readonly Rule<ServiceAnswer>[] = [
  answers('silent'),
  answers('dns'),
  answers('reverse'),
  answers('port'),
];

/** Their codes. */
export const SERVICE_CODES = SERVICES.map(({ code }) => code);

/**
 * The answers, with one in place of all those that a silent name server did not give.
 * @param nameOf the name of the host at an address
 */
export function gatherSilent(asked: readonly ServiceAnswer[], nameOf: (server: string) => string): ServiceAnswer[] {
  const isName = ({ kind }: ServiceAnswer) => kind === 'dns' || kind === 'reverse';
  const silent = [...new Set(asked.filter(isName).map(({ server }) => server))].flatMap((server) => {
    const questions = asked.filter((answer) => isName(answer) && answer.server === server);
    const [first] = questions;
    if (first === undefined || questions.length < 2 || !questions.every(({ isSilent }) => isSilent)) return [];
    const what = words().silent(nameOf(server), questions.length);
    // That it does not answer is all that its answers would say.
    const { isForeign = false } = first;
    return [{ kind: 'silent', server, what, isOk: false, detail: '', ...(isForeign ? { isForeign } : {}) } as const];
  });
  const isGathered = (answer: ServiceAnswer) => isName(answer) && silent.some(({ server }) => server === answer.server);
  return [...silent, ...asked.filter((answer) => !isGathered(answer))];
}

/** The services that do not answer as designed. */
export function judgeServices(asked: readonly ServiceAnswer[]): Finding[] {
  return asked.filter(({ isOk }) => !isOk).flatMap((answer) => judge(SERVICES, answer));
}
