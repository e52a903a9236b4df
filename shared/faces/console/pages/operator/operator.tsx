import { Page } from '../../ui/page.tsx'

const Operator = () => <Page title="Operator">{null}</Page>

export default Operator
