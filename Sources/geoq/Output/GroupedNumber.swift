/// A number with thousands separators, for people.
func grouped(_ number: Int) -> String {
  let digits = Array(String(number.magnitude))
  var text = number < 0 ? "-" : ""
  for (position, digit) in digits.enumerated() {
    if position > 0, (digits.count - position).isMultiple(of: 3) { text += "," }
    text.append(digit)
  }
  return text
}

/// A number of restaurants: `1 restaurant`, `4,812 restaurants`.
func restaurants(_ count: Int) -> String {
  grouped(count) + (count == 1 ? " restaurant" : " restaurants")
}
