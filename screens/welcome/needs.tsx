import type { Finding } from '../../src/diagnosis/finding.ts';
import type { InstallerSeen } from '../../src/diagnosis/machine/programs.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { pad, widthOf } from '../../src/text/width.ts';
import { Label, Row } from '../../src/ui/components/label.tsx';
import { useArea, useLook } from '../../src/ui/look.tsx';
import { glyphs, type Tone } from '../../src/ui/theme.ts';
import type { Surroundings } from '../../src/wizard/state.ts';

const words = () => catalogue().screens.welcome.needs;

/** How many lines the needs are. */
export const NEEDS = 6;

/** A need of an installation, and what is here of it. `told`: nothing of it is seen on this machine. */
interface Need {
  readonly state: 'ok' | 'wrong' | 'told';
  readonly need: string;
  readonly said: string;
}

/** What an installation needs, and what is here of it. @param around null before the first look */
export function needsOf(around: Surroundings | null): readonly Need[] {
  const { tools, pullSecret, services, machines, machine, time } = words();
  const findings = around?.findings ?? [];
  const of = (code: string) => findings.filter((finding) => finding.code === code);
  const told = ({ need, says }: { readonly need: string; readonly says: string }, said = says): Need => ({
    state: 'told',
    need,
    said,
  });
  const programs = of('service-program');
  const here = programs.filter(({ state }) => state === 'ok').length;
  return [
    around?.installer ? toolsSaid(around.installer) : { state: 'told', need: tools.need, said: words().looking },
    seen(pullSecret.need, around, {
      isOk: isOk(of('pull-secret')),
      said: isOk(of('pull-secret')) ? pullSecret.ok : pullSecret.missing,
    }),
    told(services, programs.length === 0 ? services.says : services.here(here, programs.length)),
    told(machines),
    seen(machine.need, around, machineSaid(findings)),
    told(time),
  ];
}

function seen(
  need: string,
  around: Surroundings | null,
  { isOk, said }: { readonly isOk: boolean; readonly said: string },
): Need {
  return around === null
    ? { state: 'told', need, said: words().looking }
    : { state: isOk ? 'ok' : 'wrong', need, said };
}

function toolsSaid(installer: InstallerSeen): Need {
  const { need, missing, wrong } = words().tools;
  switch (installer.fault) {
    case 'missing':
      return { state: 'wrong', need, said: missing };
    case 'version':
    case 'architecture':
      return { state: 'wrong', need, said: wrong };
    case 'architecture-unknown':
    case null:
      return { state: 'ok', need, said: installer.version ?? installer.file };
  }
}

/** What the lines above say already. */
const ELSEWHERE = ['openshift-install', 'oc', 'pull-secret'];

function machineSaid(findings: readonly Finding[]) {
  const { ok, wrong } = words().machine;
  const problems = findings.filter(
    ({ code, state, severity }) => state === 'failed' && severity !== 'note' && !ELSEWHERE.includes(code),
  );
  return { isOk: problems.length === 0, said: problems.length === 0 ? ok : wrong(problems.length) };
}

const isOk = (findings: readonly Finding[]) => findings.every(({ state }) => state === 'ok');

const TONES: Readonly<Record<Need['state'], Tone>> = { ok: 'ok', wrong: 'warn', told: 'dim' };

/** The needs, a line each. */
export function WelcomeNeeds({ around }: { readonly around: Surroundings | null }) {
  const { columns } = useArea();
  const { done, problem } = glyphs(useLook());
  const marks: Readonly<Record<Need['state'], string>> = { ok: done, wrong: problem, told: '-' };
  const needs = needsOf(around);
  const room = Math.max(...needs.map(({ need }) => widthOf(need)));
  return needs.map(({ state, need, said }) => (
    <Row key={need}>
      <Label tone={TONES[state]}>{`${marks[state]} `}</Label>
      <Label>{`${pad(need, room, '')}  `}</Label>
      <Label tone={TONES[state]} width={Math.max(0, columns - room - 4)}>
        {said}
      </Label>
    </Row>
  ));
}
