import { integrationChoices, manifests, pathTo, session } from '../../api/index.ts'
import type { Manifest, StepManifest } from '../../api/index.ts'
import { Empty, Page } from '../../ui/index.ts'
import { Picker } from '../picker/picker.tsx'
import type { PickEntry } from '../picker/picker.tsx'
import { badgesOf, kindOf, maturityBadge, mayRun } from './describe.ts'

const entryOf = ({ id, title, icon, maturity }: Manifest, step: StepManifest): PickEntry => ({
  integration: id,
  id: step.id,
  href: pathTo('steps', id, step.id),
  section: { title, icon: icon.light, badge: maturityBadge(maturity) },
  group: step.group,
  isReplaced: step.legacy !== null || step.deprecated !== null,
  title: step.title,
  purpose: step.purpose,
  icon: step.icon,
  badges: badgesOf(step),
  facets: { integration: [id], does: kindOf(step) === 'any' ? ['read', 'write', 'delete'] : [kindOf(step)] },
})

/** An integration's steps, group by group. */
const entriesOf = (manifest: Manifest): PickEntry[] =>
  manifest.groups
    .flatMap((group) => manifest.steps.filter((step) => step.group === group))
    .map((step) => entryOf(manifest, step))

const does: [string, string][] = [
  ['read', 'Reads'],
  ['write', 'Writes'],
  ['delete', 'Deletes'],
]

const Steps = () => {
  const token = session.value!.token
  const allowed = manifests.value.map((manifest) => ({
    ...manifest,
    steps: manifest.steps.filter(({ id }) => mayRun(token, manifest, id)),
  }))
  const entries = allowed.flatMap(entriesOf)
  const filters = [
    { name: 'integration', label: 'Integration', choices: integrationChoices() },
    { name: 'does', label: 'Does', choices: does },
  ]
  return (
    <Page title="Steps" about="What an agent can do with a connected account. Each has a form here, to try it first.">
      {entries.length === 0 ? (
        <Empty picture="lock" title="This token may not run any step">
          <p>Sign in with a token that may run steps.</p>
        </Empty>
      ) : (
        <Picker
          kind="step"
          names={['step', 'steps']}
          entries={entries}
          filters={filters}
          otherwise={
            <p>
              If no step does it, use <a href={`${pathTo('steps')}?query=API+Call`}>API Call</a>, which reaches every
              endpoint that the provider documents.
            </p>
          }
        />
      )}
    </Page>
  )
}

export default Steps
