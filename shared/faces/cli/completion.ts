import type { Command, Option } from 'commander'
import { failField } from '#kit'
import { allScopes } from '../../pack.ts'
import type { Call } from './call.ts'
import { plain } from './table.ts'

/** A word to offer, and its meaning. */
export type Candidate = { word: string; about?: string }

/**
 * The shell's completion function: when Tab is pressed, it runs `toolyard complete` with the words so far, of which the
 * last is unfinished.
 */
const scripts: Record<string, string> = {
  bash: `_toolyard() {
  local IFS=$'\\n' line
  COMPREPLY=()
  while read -r line; do
    [[ "$line" == *= ]] && compopt -o nospace || line=$(printf '%q' "$line")
    COMPREPLY+=("$line")
  done < <(toolyard complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
}
complete -o default -F _toolyard toolyard
`,
  zsh: `#compdef toolyard
_toolyard() {
  local -a lines whole open
  lines=("\${(@f)$(toolyard complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | cut -f1)}")
  lines=(\${lines:#})
  open=(\${(M)lines:#*=})
  whole=(\${lines:#*=})
  (( \${#open} )) && compadd -S '' -- $open
  (( \${#whole} )) && compadd -- $whole
  (( \${#lines} )) || _files
}
compdef _toolyard toolyard
`,
  fish: `function __toolyard_complete
    set -l words (commandline -opc)
    toolyard complete -- $words[2..] (commandline -ct) 2>/dev/null
end
complete -c toolyard -f -a '(__toolyard_complete)'
`,
}

export const shells = Object.keys(scripts)

/** `toolyard completion <shell>` */
export const completionScript = (shell: string): string => {
  const script = scripts[shell]
  if (script === undefined)
    throw failField('shell', `"${shell}" is not supported. Choose one of: ${shells.join(', ')}.`)
  return script
}

/** The command that the words name, and the words after it. */
const commandIn = (program: Command, words: string[]): { command: Command; remainingWords: string[] } => {
  let command = program
  for (let at = 0; at < words.length; at += 1) {
    const next = command.commands.find((below) => below.name() === words[at])
    if (!next) return { command, remainingWords: words.slice(at) }
    command = next
  }
  return { command, remainingWords: [] }
}

const findOption = (command: Command, word: string | undefined): Option | undefined =>
  word === undefined ? undefined : command.options.find((option) => option.short === word || option.long === word)

/** The key of an option in `byOption`: its name and the name of its value in the help, such as `connection name`. */
const valueName = (option: Option) => `${option.attributeName()} ${/[<[]([^>\]]+)/.exec(option.flags)?.[1] ?? ''}`

/** The arguments among the words, without options and their values. */
const positionals = (command: Command, words: string[]) => {
  const values: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const option = findOption(command, words[at])
    if (option?.required) at += 1
    else if (!option && !words[at]!.startsWith('-')) values.push(words[at]!)
  }
  return values
}

type TypedNames = { integration: string | undefined; /** Id of a step or a trigger. */ id: string | undefined }
type Offer = (call: Call, named: TypedNames) => Promise<Candidate[]>

const integrations: Offer = async (call) =>
  (await call('catalogue.listIntegrations')).items.map(({ id, title }) => ({ word: id, about: title }))
const steps: Offer = async (call, { integration }) =>
  (await call('catalogue.findSteps', { integration })).items.map(({ id, title }) => ({ word: id, about: title }))
const triggers: Offer = async (call, { integration }) =>
  integration === undefined
    ? []
    : (await call('catalogue.getIntegration', { id: integration })).triggers.map(({ id, title }) => ({
        word: id,
        about: title,
      }))
const connections: Offer = async (call, { integration }) =>
  (await call('connections.listConnections', { limit: 200, integration })).items.map(
    ({ name, integration: of, state }) => ({
      word: name,
      about: `${of}, ${state}`,
    }),
  )
/** Finds the step or the trigger that the words name. */
const findStepOrTrigger = async (call: Call, { integration, id }: TypedNames) => {
  if (integration === undefined || id === undefined) return undefined
  const { steps, triggers } = await call('catalogue.getIntegration', { id: integration })
  return steps.find((step) => step.id === id) ?? triggers.find((trigger) => trigger.id === id)
}
const fields: Offer = async (call, named) => {
  const target = await findStepOrTrigger(call, named)
  const { properties = {} } = target === undefined ? {} : 'form' in target ? target.form : target.config
  return Object.entries(properties as Record<string, { title?: string }>).map(([name, { title = '' }]) => ({
    word: `${name}=`,
    about: title,
  }))
}
const tools: Offer = async (call) =>
  (await call('catalogue.findSteps')).items.map(({ tool, title }) => ({ word: tool, about: title }))
const bound: Offer = async (call) =>
  (await call('catalogue.findSteps')).items.map(({ integration, id, title }) => ({
    word: `${integration}/${id}`,
    about: title,
  }))
const scopes: Offer = async () => allScopes.map((word) => ({ word }))
const shellNames: Offer = async () => shells.map((word) => ({ word }))

const stepsAndTriggers: Offer = async (call, named) => [...(await steps(call, named)), ...(await triggers(call, named))]
/** Fields of a step or a trigger whose choices can be loaded. */
const choosable: Offer = async (call, named) =>
  Object.entries((await findStepOrTrigger(call, named))?.fields ?? {}).flatMap(([word, { options }]) =>
    options ? [{ word }] : [],
  )

const byArgument: Record<string, Offer> = {
  integration: integrations,
  step: steps,
  trigger: triggers,
  connection: connections,
  field: choosable,
  shell: shellNames,
}
/** Commands whose `step` argument may also name a trigger. */
const takeTriggers = new Set(['describe', 'options'])
const byOption: Record<string, Offer> = {
  'integration id': integrations,
  'connection name': connections,
  'connection id': connections,
  'field name=value': fields,
  'tools names': tools,
  'step integration/step': bound,
  'scope scope': scopes,
}

/** Words that can replace the last one. Nothing is called if the command line itself suffices. */
export const complete = async (program: Command, words: string[], call: Call): Promise<Candidate[]> => {
  const before = words.slice(0, -1)
  const typedSoFar = words.at(-1) ?? ''
  const { command, remainingWords } = commandIn(program, before)
  const values = positionals(command, remainingWords)
  const names = command.registeredArguments.map((argument) => argument.name())
  const named: TypedNames = {
    integration: values[names.indexOf('integration')],
    id: values[names.indexOf('step')] ?? values[names.indexOf('trigger')],
  }
  const fitting = (candidates: Candidate[]) =>
    candidates.filter(({ word }) => word.toLowerCase().startsWith(typedSoFar.toLowerCase()))
  const ask = async (offer: Offer | undefined) => (offer ? fitting(await offer(call, named)) : [])
  const option = findOption(command, remainingWords.at(-1))
  if (option?.argChoices) return fitting(option.argChoices.map((word) => ({ word })))
  if (option?.required) return ask(byOption[valueName(option)])
  if (typedSoFar.startsWith('-'))
    return fitting(
      command.options
        .filter(({ hidden }) => !hidden)
        .map(({ long, description }) => ({ word: long!, about: description })),
    )
  const commands = fitting(
    values.length > 0
      ? []
      : command
          .createHelp()
          .visibleCommands(command)
          .map((below) => ({ word: below.name(), about: below.description() })),
  )
  if (commands.length > 0) return commands
  const name = names[values.length] ?? ''
  return ask(name === 'step' && takeTriggers.has(command.name()) ? stepsAndTriggers : byArgument[name])
}

/** One candidate per line, with its meaning after a tab. Words with control characters are left out. */
export const formatCandidates = (candidates: Candidate[]): string =>
  candidates
    .filter(({ word }) => plain(word) === word)
    .map(({ word, about }) => `${word}${about ? `\t${plain(about)}` : ''}\n`)
    .join('')
