import { didYouMean, failField } from '#kit'
import { text, texts } from './declare.ts'
import type { Context } from './declare.ts'

export const connectionOption = text(
  '-c <name>',
  'id or name of the connection; required if there are several and no default',
)

/** Arguments and options of a command that runs a step. */
export const stepArguments = { input: 'JSON object, @file.json, or - for standard input' }
export const stepOptions = {
  whole: text('--input <json>', 'the same as the argument'),
  fields: texts('-f, --field <name=value>', 'one input field; repeat for more fields and for list entries'),
  connection: connectionOption,
}

type WithId = { id: string }

/** The failure for a step that an integration does not have. `triggers`: triggers that could be named instead. */
export const noSuchStep = (
  { typed }: Pick<Context, 'typed'>,
  { id: integration, steps }: { id: string; steps: WithId[] },
  name: string,
  triggers?: WithId[],
) => {
  const knownIds = [...steps, ...(triggers ?? [])].map(({ id }) => id)
  const remedy = `List them with: ${typed(`list -i ${integration}`)}`
  return failField(
    'step',
    `"${integration}" has no ${triggers ? 'step or trigger' : 'step'} "${name}".${didYouMean(name, knownIds)} ${remedy}`,
    'not_found',
  )
}

export const findStep = async (context: Context, integration: string, name: string) => {
  const manifest = await context.call('catalogue.getIntegration', { id: integration })
  const step = manifest.steps.find(({ id }) => id === name)
  if (!step) throw noSuchStep(context, manifest, name)
  return step
}
