import { UNATTACHED } from '../network/attachment.ts';
import { machineNetwork } from '../network/network.ts';
import type { Hardware, MachineState } from '../saved.ts';
import type { World } from '../world.ts';
import { noteInJournal } from './inside.ts';
import type { MachineContext } from './machine-context.ts';
import { STAGES } from './stages.ts';

/** A machine that can be switched on and off, and goes through its stages by itself. */
export interface Machine {
  readonly hardware: Hardware;
  readonly state: MachineState;
  powerOn(): void;
  powerOff(): void;
  /** Goes on where the saved state is, after the site was started again. */
  resume(): void;
}

export function createMachine(world: World, hardware: Hardware, state: MachineState): Machine {
  let power: AbortController | null = null;

  function context(signal: AbortSignal): MachineContext {
    return {
      world,
      hardware,
      state,
      signal,
      network: () => machineNetwork(world, state.lease ?? UNATTACHED, hardware.clockError),
      print: (line) => {
        if (line === state.console) return;
        state.console = line;
        world.log(`${state.name}: ${line}`);
        noteInJournal(world, state, line);
      },
      sleep: (ms) => world.clock.sleep(ms, signal),
    };
  }

  async function live(signal: AbortSignal): Promise<void> {
    const machine = context(signal);
    while (!signal.aborted && state.stage !== 'off') {
      const next = await STAGES[state.stage](machine);
      if (signal.aborted) return;
      if (next === 'installing') world.journals.clear(state.name);
      state.stage = next;
      state.since = world.clock.now();
      world.log(`${state.name}: ${next}`);
      world.changed();
    }
  }

  function run(): void {
    const controller = new AbortController();
    power = controller;
    const signal = AbortSignal.any([controller.signal, world.signal]);
    live(signal).catch((error: unknown) => {
      if (!signal.aborted) world.log(`${state.name}: ${error instanceof Error ? error.stack : String(error)}`);
    });
  }

  return {
    hardware,
    state,
    powerOn() {
      if (state.stage !== 'off') return;
      state.stage = hardware.isDead ? 'dead' : 'firmware';
      state.since = world.clock.now();
      world.changed();
      run();
    },
    powerOff() {
      power?.abort();
      state.stage = 'off';
      // Whoever switches off a machine that is no node yet lets it start from the network next, once.
      state.startsFromNetwork = state.joinedAt === null;
      state.since = world.clock.now();
      state.lease = null;
      world.changed();
    },
    resume() {
      if (state.stage !== 'off') run();
    },
  };
}
