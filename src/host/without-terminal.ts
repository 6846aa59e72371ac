/**
 * Returns the command for a program in a session of its own, without a terminal. `BatchMode` is not enough: the ssh
 * that it starts for a jump host does not get its options. That ssh would ask for passwords and host keys in the middle
 * of a screen.
 * @param program its exit code and the signals to it are passed on, as if it had been started directly
 */
export function withoutTerminal(program: string): readonly [string, string] {
  return ['setsid', program];
}
