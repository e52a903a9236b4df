import type { Field, Layout, Manifest, StepOf } from '../manifests.ts'
import { formOf } from './form.ts'
import { isForSales } from '../form.ts'
import { keyOf } from '../literal.ts'
import { print } from './print.ts'
import { dynamicHint, loadMethod, mapMethod, searchMethod } from './property.ts'
import type { FieldSpec, Property } from './property.ts'
import { pagingFields, recordProperties, recordSpecOf } from './records.ts'
import type { RecordSpec } from './records.ts'
import { camelCase, description, pascalCase, sentenceCase, singular, titleCase } from './words.ts'

export const connectionProperty: Property = {
  displayName: 'Connection Name or ID',
  name: 'connection',
  type: 'options',
  typeOptions: { loadOptionsMethod: 'loadConnections' },
  default: '',
  description: `Which connected account to use. ${dynamicHint}.`,
}

/** Free reads are never held. */
const mayBeHeld = ({ effect, cost }: StepOf) => effect !== 'read' || cost !== null

const waitProperty = (steps: StepOf[]): Property => ({
  displayName: 'Wait for Approval',
  name: 'waitForApproval',
  type: 'boolean',
  noDataExpression: true,
  default: false,
  description:
    'Whether items whose run needs an approval go to the output "Waiting" instead of failing. Connect "Waiting" to a Wait node, and the Wait node back to this node, which gives the outcome once somebody has decided. Items are lost where "Waiting" is not connected.',
  displayOptions: {
    show: { operation: steps.filter(mayBeHeld).map(({ id }) => id), '@version': [2] },
    hide: { '@tool': [true] },
  },
})

const marked = ({ title, legacy, deprecated }: StepOf) =>
  `${titleCase(title)}${deprecated ? ' (Deprecated)' : legacy ? ' (Legacy)' : ''}`

const purposeOf = ({ purpose, price }: StepOf) => description(price === null ? purpose : `${purpose} ${price}`)

const byName = (item: { name: string }, other: { name: string }) => item.name.localeCompare(other.name, 'en')

/** Replaces the JSON field for values of the account's own fields by a mapper with one input per field. */
const withAccountFields = ({ accountFields, layout }: StepOf): Layout =>
  accountFields
    ? {
        ...layout,
        fields: layout.fields.map((field) =>
          field.name === accountFields.field
            ? { ...field, account: accountFields.dependsOn, dependsOn: accountFields.dependsOn }
            : field,
        ),
      }
    : layout

/** The resource of a group: the group's steps are its operations. */
const resourceOf = (group: string) => camelCase(singular(group))

const operationProperty = (steps: StepOf[], resource: string): Property => ({
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  displayOptions: { show: { resource: [resource] } },
  options: steps
    .map((step) => ({
      name: marked(step),
      value: step.id,
      action: sentenceCase(step.title),
      description: purposeOf(step),
    }))
    .toSorted(byName),
  default: steps[0]!.id,
})

const namesWith = (steps: { layout: { fields: Field[] } }[], control: Field['control']) =>
  [
    ...new Set(
      steps.flatMap(({ layout }) => layout.fields.filter((field) => field.control === control).map(({ name }) => name)),
    ),
  ].toSorted()

type FormsOf = Pick<StepOf, 'id' | 'layout' | 'accountFields'>[]

const mappedNames = (forms: FormsOf) => [
  ...new Set(forms.flatMap(({ accountFields }) => (accountFields ? [accountFields.field] : []))),
]

const listed = (names: string[]) => (names.length === 0 ? '' : `, ${print(names)}`)

/** Fields to fill before the choices of another can be loaded; before that there are none. */
const needsOf = (forms: FormsOf, name: string): string => {
  const fields = forms.flatMap(({ layout }) => layout.fields.filter((field) => field.name === name))
  const [first = [], ...others] = fields.map(({ dependsOn = [] }) => dependsOn)
  return listed(first.filter((need) => others.every((needs) => needs.includes(need))))
}
/** The same for fields of the account, by the step of the form. */
const mappedNeeds = (forms: FormsOf, name: string): string =>
  print(
    Object.fromEntries(
      forms.flatMap(({ id, accountFields }) => (accountFields?.field === name ? [[id, accountFields.dependsOn]] : [])),
    ),
    '\t\t\t',
  )

/** The node's `methods`: one for each field whose choices come from the account, and one for the connections. */
export const methodsOf = (manifest: Manifest, kind: 'step' | 'trigger', forms: FormsOf): string => {
  const form = `{ kind: '${kind}', integration: ${print(manifest.id)} }`
  const entry = (method: string, call: string) => `\t\t\t${keyOf(method)}: ${call},\n`
  const load = namesWith(forms, 'pick-many').map((name) =>
    entry(loadMethod(name), `loadChoices(${form}, ${print(name)}${needsOf(forms, name)})`),
  )
  const search = namesWith(forms, 'pick').map((name) =>
    entry(searchMethod(name), `searchChoices(${form}, ${print(name)})`),
  )
  const map = mappedNames(forms).map((name) =>
    entry(mapMethod(name), `mapFields(${print(manifest.id)}, ${mappedNeeds(forms, name)})`),
  )
  return `{
\t\tloadOptions: {\n${entry('loadConnections', `loadConnections(${print(manifest.id)})`)}${load.join('')}\t\t},
\t\tlistSearch: {\n${search.join('')}\t\t},
${map.length > 0 ? `\t\tresourceMapping: {\n${map.join('')}\t\t},\n` : ''}\t}`
}

/** The names of the runtime functions that a node's methods use. */
export const usedChoices = (forms: FormsOf) => [
  ...(namesWith(forms, 'pick-many').length > 0 ? ['loadChoices'] : []),
  'loadConnections',
  ...(mappedNames(forms).length > 0 ? ['mapFields'] : []),
  ...(namesWith(forms, 'pick').length > 0 ? ['searchChoices'] : []),
]

export const iconsOf = ({ id }: { id: string }) =>
  `{ light: 'file:../../icons/${id}.svg', dark: 'file:../../icons/${id}.dark.svg' }`

const nodeSource = (manifest: Manifest, parts: string[]) => {
  const name = pascalCase(manifest.id)
  const choices = usedChoices(manifest.steps)
  return `import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { ${choices.join(', ')} } from '../shared/choices';
import { runSteps } from '../shared/run-steps';
import { outputs } from '../shared/waiting';
import { steps } from './steps';
${parts.map((part) => `import { ${part}Properties } from './${part}Properties';\n`).join('')}
export class ${name} implements INodeType {
	description: INodeTypeDescription = {
		displayName: ${print(titleCase(manifest.title))},
		name: '${camelCase(manifest.id)}',
		icon: ${iconsOf(manifest)},
		group: ['transform'],
		version: [1, 2],
		defaultVersion: 2,
		subtitle: '={{$parameter["operation"].replace(/-/g, " ")}}',
		description: ${print(description(manifest.summary))},
		defaults: { name: ${print(titleCase(manifest.title))} },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs,
		credentials: [{ name: 'toolyardApi', required: true }],
		properties: [
			${print(
        {
          displayName: 'Resource',
          name: 'resource',
          type: 'options',
          noDataExpression: true,
          options: manifest.groups
            .map((group) => ({ name: singular(group), value: resourceOf(group) }))
            .toSorted(byName),
          default: resourceOf(manifest.groups[0]!),
        },
        '\t\t\t',
      )},
${parts.map((part) => `\t\t\t...${part}Properties,\n`).join('')}			${print(waitProperty(manifest.steps), '\t\t\t')},
		],
	};

	methods = ${methodsOf(manifest, 'step', manifest.steps)};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runSteps(this, ${print(manifest.id)}, steps);
	}
}
`
}

/** The heading must exist on that page; a test looks. */
const documentation = 'https://github.com/toolyard/toolyard/blob/main/docs/platforms.md#in-n8n'

/** The node's entry in n8n's search. */
export const codex = (manifest: Manifest, node: string, keywords: string[]) =>
  `${JSON.stringify(
    {
      node: `n8n-nodes-toolyard.${node}`,
      nodeVersion: '1.0',
      codexVersion: '1.0',
      categories: [isForSales(manifest) ? 'Sales' : 'Productivity'],
      alias: [...new Set(['toolyard', manifest.id, ...keywords])],
      resources: { primaryDocumentation: [{ url: documentation }], credentialDocumentation: [{ url: documentation }] },
    },
    null,
    2,
  )}\n`

/** Files of the node that runs an integration's steps. */
export const stepNode = (manifest: Manifest): Record<string, string> => {
  const parts = manifest.groups.map((group) => ({
    group,
    name: resourceOf(group),
    steps: manifest.steps.filter((step) => step.group === group),
  }))
  const specs: Record<string, { effect: string; fields: FieldSpec[] } & RecordSpec> = {}
  const files = parts.map(({ name, steps }) => {
    const forms = steps.map((step) => {
      const show = { resource: [name], operation: [step.id] }
      const records = recordSpecOf(step)
      const form = formOf(
        { layout: withAccountFields(step), container: step.container },
        step.form,
        show,
        true,
        pagingFields(records),
      )
      specs[step.id] = { effect: step.effect, ...records, fields: form.fields }
      return { ...form, properties: [...form.properties, ...recordProperties(records, show)] }
    })
    const withAccount = steps.filter(({ connection }) => connection !== null).map(({ id }) => id)
    const connection =
      withAccount.length === 0
        ? []
        : [{ ...connectionProperty, displayOptions: { show: { resource: [name], operation: withAccount } } }]
    const properties = [operationProperty(steps, name), ...connection, ...forms.flatMap((form) => form.properties)]
    return [
      `${name}Properties.ts`,
      `import type { INodeProperties } from 'n8n-workflow';\n\nexport const ${name}Properties: INodeProperties[] = ${print(properties)};\n`,
    ]
  })
  const name = pascalCase(manifest.id)
  return {
    ...(Object.fromEntries(files) as Record<string, string>),
    'steps.ts': `import type { StepSpecs } from '../shared/read-input';\n\nexport const steps: StepSpecs = ${print(specs)};\n`,
    [`${name}.node.ts`]: nodeSource(
      manifest,
      parts.map((part) => part.name),
    ),
    [`${name}.node.json`]: codex(
      manifest,
      camelCase(manifest.id),
      manifest.steps.flatMap(({ keywords }) => keywords),
    ),
  }
}
