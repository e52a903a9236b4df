/** Whether a trace is recorded. `parent`: whether the one who called us records it; absent where there is no such. */
export type Sampler = (traceId: string, parent?: boolean) => boolean

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof samplerNames)[number]

/** The last 7 bytes of a trace id are random in every W3C trace, so all who take the same ratio decide alike. */
const randomDigits = 14

/** @param ratio of traces that are recorded, 0 to 1 */
export const createSampler = (name: SamplerName, ratio: number): Sampler => {
  const bound = ratio * 16 ** randomDigits
  const ofRoot: Sampler = name.endsWith('always_on')
    ? () => true
    : name.endsWith('always_off')
      ? () => false
      : (traceId) => Number.parseInt(traceId.slice(-randomDigits), 16) < bound
  return name.startsWith('parentbased_') ? (traceId, parent) => parent ?? ofRoot(traceId) : ofRoot
}
