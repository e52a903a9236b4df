import type { Run } from '../../../../api/resources/run.ts'
import { manifests, pathTo, session } from '../../api/index.ts'
import type { Manifest, StepManifest } from '../../api/index.ts'
import { mayRun } from '../steps/describe.ts'

type Choice = { manifest: Manifest; step: StepManifest }

const maxChoices = 8

/** Steps that were run lately, then those of the sets that agents are offered first. */
const choicesOf = (runs: Run[]): Choice[] => {
  const { token } = session.value!
  const usual = manifests.value.map((manifest) =>
    (manifest.toolSets[0]?.steps ?? []).map((step) => ({ integration: manifest.id, step })),
  )
  const longest = Math.max(0, ...usual.map(({ length }) => length))
  const inTurn = Array.from({ length: longest }, (_, at) => usual.flatMap((steps) => steps.slice(at, at + 1))).flat()
  const choices = new Map<string, Choice>()
  for (const { integration, step: id } of [...runs, ...inTurn]) {
    const manifest = manifests.value.find((candidate) => candidate.id === integration)
    const step = manifest?.steps.find((candidate) => candidate.id === id)
    if (manifest && step && step.ready && mayRun(token, manifest, id))
      choices.set(`${integration} ${id}`, { manifest, step })
    if (choices.size === maxChoices) break
  }
  return [...choices.values()]
}

/** The steps that a person is likely to run next, one click away. */
export const QuickSteps = ({ runs }: { runs: Run[] }) => (
  <nav aria-labelledby="quick-steps">
    <h2 id="quick-steps">Run a step</h2>
    <ul class="quick-steps">
      {choicesOf(runs).map(({ manifest, step }) => (
        <li key={manifest.id + step.id}>
          <a class="button plain" href={pathTo('steps', manifest.id, step.id)}>
            {step.title}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)
