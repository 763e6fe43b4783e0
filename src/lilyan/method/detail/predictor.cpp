#include "lilyan/method/predictor.hpp"

namespace lilyan {

DiscreteGradientTable::Predictor predictor(const std::string& name) {
  if (name == "constant") return DiscreteGradientTable::Predictor::constant;
  if (name == "avf") return DiscreteGradientTable::Predictor::avf;
  throw ParameterError("predictor",
                       "unknown predictor '" + name + "'" + suggestion(name, {"avf", "constant"}));
}

}  // namespace lilyan
