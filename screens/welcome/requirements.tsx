import type { Finding } from '../../src/checks/check.ts';
import type { InstallerStatus } from '../../src/checks/machine/programs.ts';

import { catalogue } from '../../src/i18n/catalogue.ts';
import { displayWidth, padEnd } from '../../src/platform/text.ts';
import { Label, Row } from '../../src/ui/components/select.tsx';
import { getGlyphs, type Tone, useArea, useTerminalStyle } from '../../src/ui/terminal-style.tsx';
import type { HostOverview } from '../../src/wizard/state.ts';

const words = () => catalogue().screens.welcome.needs;

/** The number of requirements. */
export const REQUIREMENT_COUNT = 6;

/**
 * A requirement of an installation, with its status on this machine. In the third state, this machine cannot check it.
 */
interface Requirement {
  readonly state: 'ok' | 'wrong' | 'unverified';
  readonly need: string;
  readonly detail: string;
}

/**
 * Lists the requirements of an installation, with their status on this machine.
 * @param overview null before the first probe
 */
export function listRequirements(overview: HostOverview | null): readonly Requirement[] {
  const { tools, pullSecret, services, machines, machine, time } = words();
  const findings = overview?.findings ?? [];
  const withCode = (code: string) => findings.filter((finding) => finding.code === code);
  const createUnchecked = (
    { need, text }: { readonly need: string; readonly text: string },
    detail = text,
  ): Requirement => ({
    state: 'unverified',
    need,
    detail,
  });
  const programs = withCode('service-program');
  const availableCount = programs.filter(({ state }) => state === 'ok').length;
  return [
    overview?.installer
      ? describeTools(overview.installer)
      : { state: 'unverified', need: tools.need, detail: words().checking },
    createChecked(pullSecret.need, overview, {
      isOk: haveAllPassed(withCode('pull-secret')),
      detail: haveAllPassed(withCode('pull-secret')) ? pullSecret.ok : pullSecret.missing,
    }),
    createUnchecked(
      services,
      programs.length === 0 ? services.text : services.available(availableCount, programs.length),
    ),
    createUnchecked(machines),
    createChecked(machine.need, overview, describeMachine(findings)),
    createUnchecked(time),
  ];
}

function createChecked(
  need: string,
  overview: HostOverview | null,
  { isOk, detail }: { readonly isOk: boolean; readonly detail: string },
): Requirement {
  return overview === null
    ? { state: 'unverified', need, detail: words().checking }
    : { state: isOk ? 'ok' : 'wrong', need, detail };
}

function describeTools(installer: InstallerStatus): Requirement {
  const { need, missing, wrong } = words().tools;
  switch (installer.fault) {
    case 'missing':
      return { state: 'wrong', need, detail: missing };
    case 'version':
    case 'architecture':
      return { state: 'wrong', need, detail: wrong };
    case 'architecture-unknown':
    case null:
      return { state: 'ok', need, detail: installer.version ?? installer.file };
  }
}

/** Codes of findings that the lines above already report. */
const REPORTED_CODES = ['openshift-install', 'oc', 'pull-secret'];

function describeMachine(findings: readonly Finding[]) {
  const { ok, wrong } = words().machine;
  const problems = findings.filter(
    ({ code, state, severity }) => state === 'failed' && severity !== 'note' && !REPORTED_CODES.includes(code),
  );
  return { isOk: problems.length === 0, detail: problems.length === 0 ? ok : wrong(problems.length) };
}

const haveAllPassed = (findings: readonly Finding[]) => findings.every(({ state }) => state === 'ok');

const TONES: Readonly<Record<Requirement['state'], Tone>> = { ok: 'ok', wrong: 'warn', unverified: 'dim' };

/** Renders the requirements, one line each. */
export function WelcomeRequirements({ around }: { readonly around: HostOverview | null }) {
  const { columns } = useArea();
  const { done, problem } = getGlyphs(useTerminalStyle());
  const marks: Readonly<Record<Requirement['state'], string>> = { ok: done, wrong: problem, unverified: '-' };
  const requirements = listRequirements(around);
  const nameColumns = Math.max(...requirements.map(({ need }) => displayWidth(need)));
  return requirements.map(({ state, need, detail }) => (
    <Row key={need}>
      <Label tone={TONES[state]}>{`${marks[state]} `}</Label>
      <Label>{`${padEnd(need, nameColumns, '')}  `}</Label>
      <Label tone={TONES[state]} width={Math.max(0, columns - nameColumns - 4)}>
        {detail}
      </Label>
    </Row>
  ));
}
