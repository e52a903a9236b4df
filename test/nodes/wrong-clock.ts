/**
 * Loaded into a node before anything else (`--import`): the wall clock of its machine differs by WRONG_CLOCK_MS from
 * that of everybody else, for the program and all of its libraries. The monotonic clock is left as it is, as on a
 * machine.
 */
const aheadMs = Number(process.env['WRONG_CLOCK_MS'])
const { now } = Date
Date.now = () => now() + aheadMs
globalThis.Date = new Proxy(Date, {
  construct: (target, dateArguments: [], by) =>
    Reflect.construct(target, dateArguments.length === 0 ? [Date.now()] : dateArguments, by) as Date,
})
export {}
