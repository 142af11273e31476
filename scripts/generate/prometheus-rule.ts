const HEADING = `# Generated from deploy/prometheus/alerts.yml by npm run generate -- docs.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: signing
spec:
`;

/**
 * The alert rules as an object of the Prometheus Operator.
 * @param rules text of deploy/prometheus/alerts.yml
 */
export function prometheusRule(rules: string): string {
  return HEADING + rules.replaceAll(/^(?=.)/gm, '  ');
}
