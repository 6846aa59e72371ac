import { catalogue } from '../../text/catalogue.ts';
import type { PortState } from '../bootstrap/evidence.ts';
import type { Finding } from '../finding.ts';
import { judge, type Rule } from '../rule.ts';

const words = () => catalogue().diagnosis.hosts;

/** A query to a running service, and its answer. */
export interface ServiceAnswer {
  /**
   * `silent`: a name server that answered none of the questions, in place of all of them. `unsent`: a host for which nothing
   * leaves this machine, in place of all questions to it.
   */
  readonly kind: 'dns' | 'reverse' | 'port' | 'silent' | 'unsent';
  /** The server. */
  readonly server: string;
  readonly what: string;
  readonly isOk: boolean;
  readonly detail: string;
  /** Nobody answered at all. */
  readonly isSilent?: boolean;
  /** Nothing leaves this machine for the server: nobody was asked. */
  readonly isUnsent?: boolean;
  /** The server is somebody's own, and not set up from here. */
  readonly isForeign?: boolean;
}

/**
 * What a name server answered, compared with the design: it must match exactly.
 * @param detail why there is no answer
 */
export function nameAnswer(
  asked: Pick<ServiceAnswer, 'kind' | 'server' | 'what' | 'isSilent' | 'isUnsent' | 'isForeign'>,
  want: readonly string[],
  answers: readonly string[],
  detail: string,
): ServiceAnswer {
  const isOk = answers.length === want.length && want.every((each) => answers.includes(each));
  if (asked.isUnsent) return { ...asked, isOk, detail };
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
  if (mayHaveNoMember) return { ...asked, isOk: true, detail: words().noMemberYet };
  return { ...asked, isOk: false, detail, ...(state === 'unsent' ? { isUnsent: true } : {}) };
}

/** Whether this stands in place of all that a server was asked. */
export function isOfWhole({ kind }: Pick<ServiceAnswer, 'kind'>): boolean {
  return kind === 'silent' || kind === 'unsent';
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
    // A server of which nothing was heard is the same one however much it is asked.
    return [{ subject: isOfWhole({ kind }) ? server : what, title: title(what), cause: detail, whatToDo }];
  },
});

/** Services that do not answer as designed. */
const SERVICES: readonly Rule<ServiceAnswer>[] = [
  answers('unsent'),
  answers('silent'),
  answers('dns'),
  answers('reverse'),
  answers('port'),
];

/** Their codes. */
export const SERVICE_CODES = SERVICES.map(({ code }) => code);

/**
 * The answers, with one in place of all those of a host for which nothing leaves this machine, or that a silent name server did
 * not give.
 * @param nameOf the name of the host at an address
 */
export function gatherUnheard(asked: readonly ServiceAnswer[], nameOf: (server: string) => string): ServiceAnswer[] {
  const servers = [...new Set(asked.map(({ server }) => server))];
  const gathered = servers.flatMap((server) => {
    const answers = asked.filter((answer) => answer.server === server);
    return unsentAt(answers, nameOf(server)) ?? silentAt(answers, nameOf(server)) ?? [];
  });
  const isIn = (answer: ServiceAnswer, { server, kind }: ServiceAnswer) =>
    answer.server === server && (kind === 'unsent' || isName(answer));
  return [...gathered, ...asked.filter((answer) => !gathered.some((each) => isIn(answer, each)))];
}

const isName = ({ kind }: ServiceAnswer) => kind === 'dns' || kind === 'reverse';

/** What is told of a host for which nothing leaves this machine. */
function unsentAt(answers: readonly ServiceAnswer[], name: string): ServiceAnswer | null {
  const [first] = answers;
  if (first === undefined || !answers.every(({ isUnsent }) => isUnsent)) return null;
  return { kind: 'unsent', server: first.server, what: words().unsent(name), isOk: false, detail: first.detail };
}

/** What is told of a name server that answered none of several questions. That it does not answer is all that it would say. */
function silentAt(answers: readonly ServiceAnswer[], name: string): ServiceAnswer | null {
  const questions = answers.filter(isName);
  const [first] = questions;
  if (first === undefined || questions.length < 2 || !questions.every(({ isSilent }) => isSilent)) return null;
  const { server, isForeign = false } = first;
  const what = words().silent(name, questions.length);
  return { kind: 'silent', server, what, isOk: false, detail: '', ...(isForeign ? { isForeign } : {}) };
}

/** The services that do not answer as designed. */
export function judgeServices(asked: readonly ServiceAnswer[]): Finding[] {
  return asked.filter(({ isOk }) => !isOk).flatMap((answer) => judge(SERVICES, answer));
}
