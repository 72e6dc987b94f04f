import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Looks at a value that an instance of a DTO class holds. */
type Check = (instance: object, value: unknown) => boolean;

/** What class-validator's decorators say of a DTO class, found out once. */
export interface Rules {
  /** The names of its fields. */
  readonly fields: readonly string[];

  /**
   * Whether an instance keeps the rules. When it does not, or a rule of its class takes more than a look at
   * a value, class-validator itself has to say: it works out for every object anew which rules there are,
   * and makes an error for each field before it looks at it.
   */
  readonly isSurelyValid: (instance: object) => boolean;
}

const known = new WeakMap<Type, Rules>();

/** The rules of a DTO class. */
export function rulesOf(dto: Type): Rules {
  let rules = known.get(dto);
  if (!rules) known.set(dto, (rules = compile(dto)));
  return rules;
}

function compile(dto: Type): Rules {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const ofField = Map.groupBy(rules, ({ propertyName }) => propertyName);
  const fields = [...ofField.keys()];
  if (rules.length === 0 || !rules.every(isPlain)) return { fields, isSurelyValid: () => false };
  const checks = [...ofField].map(([name, all]) => ({
    name,
    isAsked: all.filter(isCondition).map(toCondition),
    isKept: all.filter((rule) => !isCondition(rule)).map((rule) => toCheck(rule, dto.name)),
  }));
  return {
    fields,
    isSurelyValid: (instance) =>
      checks.every(({ name, isAsked, isKept }) => {
        const value = (instance as Record<string, unknown>)[name];
        const holds = (check: Check) => check(instance, value);
        return !isAsked.every(holds) || isKept.every(holds);
      }),
  };
}

/** Whether a rule is no more than a function of the value. */
function isPlain(rule: Rule): boolean {
  if (isCondition(rule)) return true;
  const isCustom =
    rule.type === ValidationTypes.CUSTOM_VALIDATION && !rule.each && rule.validateIf === undefined;
  return isCustom && constraintsOf(rule).every((constraint) => !constraint.async);
}

function isCondition({ type }: Rule): boolean {
  return type === ValidationTypes.CONDITIONAL_VALIDATION;
}

function toCondition({ constraints }: Rule): Check {
  const [isAsked] = constraints as [Check];
  return isAsked;
}

function toCheck(rule: Rule, targetName: string): Check {
  const { constraints, propertyName: property } = rule;
  const validators = constraintsOf(rule).map(({ instance }) => instance);
  return (object, value) => {
    const context = { targetName, property, object, value, constraints };
    // A promise is not true.
    return validators.every((validator) => validator.validate(value, context) === true);
  };
}

function constraintsOf({ constraintCls }: Rule) {
  return getMetadataStorage().getTargetValidatorConstraints(constraintCls);
}
